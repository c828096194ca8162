import { spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. Everything is told where it is: the working folder may be another. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** What the person can mend: printed as it is, without a stack. */
export class Stop extends Error {}

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`)
}

/**
 * The environment for children: the Node that runs the project comes first in PATH.
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function envWith(node) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  return { ...process.env, [name]: [path.dirname(node), process.env[name]].join(path.delimiter) }
}

/**
 * Runs a tool without a word; its output goes to `.cache/logs`, whose end is shown when it fails.
 * @param {{ name: string, failed: string, command: string, args: string[], node?: string, cwd?: string,
 *   onPid?: (pid: number) => void }} options `failed`: what the person reads, such as "The packages could not be installed".
 * @throws {Stop} when it ends with anything but 0.
 */
export async function runQuietly({
  name,
  failed,
  command,
  args,
  node = process.execPath,
  cwd = root,
  onPid,
}) {
  const logFile = path.join(root, '.cache', 'logs', `${name}.log`)
  mkdirSync(path.dirname(logFile), { recursive: true })
  const log = createWriteStream(logFile)
  const child = spawn(command, args, {
    cwd,
    env: envWith(node),
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a script for the command interpreter there.
    shell: process.platform === 'win32' && !path.isAbsolute(command),
  })
  if (child.pid !== undefined) onPid?.(child.pid)
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  /** @type {number | string | null} */
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  await new Promise((resolve) => log.end(() => resolve(undefined)))
  if (outcome === 0) return
  const tail = tailOf(logFile)
  const ended = typeof outcome === 'number' ? `${name} ended with ${outcome}` : `${name}: ${outcome}`
  throw new Stop(`${failed} (${ended}; all of it in ${logFile}).${tail && `\n${tail}`}`)
}

/** @param {string} file */
function tailOf(file) {
  if (!existsSync(file)) return ''
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    // What a tool of ours says stands above its stack.
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  // npm gives its reason first, and then its manual.
  const reasons = lines.filter((line) => /^npm (error|ERR!) \S/.test(line))
  const shown = reasons.length > 0 ? reasons.slice(0, 8) : lines.slice(-15)
  return shown.map((line) => `  ${line}`).join('\n')
}

import { spawn } from 'node:child_process'
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's root; the working directory may be another. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** An error that the person can fix: printed without a stack. */
export class Stop extends Error {}

// A full disk or a closed pipe behind them must not stop a start.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/** @param {string} line */
export function say(line) {
  process.stdout.write(`${line}\n`)
}

/**
 * The environment of child processes, with the project's Node first in PATH.
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function envWith(node) {
  return { ...process.env, PATH: [path.dirname(node), process.env['PATH']].join(path.delimiter) }
}

/**
 * Arguments by which Node reads a file of settings, if it is there. Variables of the environment win.
 * @param {string} file
 */
export const listSettings = (file) => (existsSync(file) ? [`--env-file=${file}`] : [])

/**
 * Runs a program of the project as a child that has our terminal, and passes signals on.
 * @param {string} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env beside ours
 * @returns {Promise<number>} its exit code
 */
export async function runInFront(node, args, env = {}) {
  const child = spawn(node, args, {
    cwd: root,
    env: { ...envWith(node), ...env },
    // The channel closes when we are killed, and the child ends.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Ctrl-C reaches the whole process group: the child would get it from the terminal, from npm and from us, and so would its children.
    detached: true,
  })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  // A killed npm passes no signals on. Without npm this may be a daemon, which outlives its parent.
  const npm = process.env['npm_lifecycle_event'] === undefined ? null : process.ppid
  const watch = setInterval(() => {
    if (npm !== null && process.ppid !== npm) child.kill('SIGTERM')
  }, 500)
  /** @type {[number | null, NodeJS.Signals | null]} */
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (...ended) => resolve(ended))
  })
  clearInterval(watch)
  if (signal)
    process.stderr.write(
      `${path.basename(args.find((one) => !one.startsWith('-')) ?? '')} was stopped by ${signal}.\n`,
    )
  return code ?? 1
}

/**
 * Runs a tool silently; its output goes to `.cache/logs`, and the end of it is printed on failure.
 * @param {{ name: string, failed: string, command: string, args: string[], node?: string, cwd?: string,
 *   onPid?: (pid: number) => void }} options `failed`: the error message, such as "The packages could not be installed".
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
  log.on('error', () => {}) // a full disk: the tool itself may still have room enough
  const child = spawn(command, args, {
    cwd,
    env: envWith(node),
    stdio: ['ignore', 'pipe', 'pipe'],
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
  throw new Stop(`${failed} (${ended}; full log: ${logFile}).${tail && `\n${tail}`}`)
}

/** @param {string} file */
function tailOf(file) {
  if (!existsSync(file)) return ''
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    // Drop stack lines; the message stands above them.
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  // npm prints the reason first, then its usage.
  const reasons = lines.filter((line) => /^npm (error|ERR!) \S/.test(line))
  const shown = reasons.length > 0 ? reasons.slice(0, 8) : lines.slice(-15)
  return shown.map((line) => `  ${line}`).join('\n')
}

import { spawn } from 'node:child_process'
import { envWith, root } from './run.mjs'

/**
 * Runs a program of the project and lives and dies with it: signals go to it, its exit code becomes ours, and the channel
 * between us closes when we are killed, which tells it to stop.
 * @param {string} node
 * @param {string[]} args
 */
export async function follow(node, args) {
  const child = spawn(node, args, {
    cwd: root,
    env: envWith(node),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Ctrl-C reaches the whole process group, and npm passes it on once more. In a group of its own the program hears of it
    // from us alone, once.
    detached: process.platform !== 'win32',
  })

  let lastAt = 0
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    const again = Date.now() - lastAt < 1000
    lastAt = Date.now()
    if (!again) child.kill(signal)
  }
  process.on('SIGINT', () => pass('SIGINT'))
  process.on('SIGTERM', () => pass('SIGTERM'))
  process.on('SIGHUP', () => pass('SIGTERM')) // the terminal was closed

  // npm was killed: nobody is left to pass a signal on. (Without npm we may be a daemon's child, and outlive our parent.)
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.env['npm_lifecycle_event'] && process.ppid !== parent) pass('SIGTERM')
  }, 500)

  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const { code, signal } = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }))
  })
  clearInterval(watch)
  if (signal) process.stderr.write(`${args[0]} was ended by ${signal}.\n`)
  process.exit(code ?? 1)
}

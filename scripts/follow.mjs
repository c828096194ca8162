import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { envWith, root } from './run.mjs'

/**
 * Turns this process into a program of the project, so that no launcher stays in memory and signals need no forwarding. Where the
 * system or this Node cannot (Windows, before 22.15), the program runs as a child.
 * @param {string} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env beside ours
 */
export async function become(node, args, env = {}) {
  if (process.platform === 'win32' || process.execve === undefined) return follow(node, args, env)
  const npm = findNpm()
  process.chdir(root)
  // Nobody tells the program that npm was killed, so it looks for itself.
  const all = npm === null ? args : [...args, `--until-end-of=${npm}`]
  return process.execve(node, [node, ...all], { ...env, ...envWith(node) })
}

/**
 * Runs a program of the project as a child: forwards signals, exits with its code, and closes the IPC channel when killed, which
 * makes the child stop.
 * @param {string} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env beside ours
 */
export async function follow(node, args, env = {}) {
  const child = spawn(node, args, {
    cwd: root,
    env: { ...env, ...envWith(node) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Ctrl-C signals the whole process group, and npm forwards it again. In a group of its own the child gets it once, from us.
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

  // If npm is killed nothing forwards signals any more. (Without npm this may be a daemon that outlives its parent.)
  const npm = findNpm()
  const watch = setInterval(() => {
    if (npm !== null && !isAlive(npm)) pass('SIGTERM')
  }, 500)

  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const { code, signal } = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }))
  })
  clearInterval(watch)
  if (signal) process.stderr.write(`${args[0]} was stopped by ${signal}.\n`)
  process.exit(code ?? 1)
}

/** The process id of the npm that runs us: our parent, or the parent of the shell between npm and us. */
function findNpm() {
  if (!process.env['npm_lifecycle_event'] || process.platform === 'win32') return null
  const { command, parent } = process.platform === 'linux' ? ofProc(process.ppid) : ofPs(process.ppid)
  return command.endsWith('sh') ? Number(parent) : process.ppid
}

/** @param {number} pid */
function ofProc(pid) {
  // "pid (command) state parent …": https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const [, command = '', parent = ''] =
    /\((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
  return { command, parent }
}

/** @param {number} pid */
function ofPs(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
  const [parent = '', command = ''] = stdout.trim().split(/\s+/)
  return { command, parent }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

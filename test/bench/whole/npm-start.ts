import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/ports/free-port.ts'
import { makeFolder } from '../servers.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A folder, ports and a Node for what a person starts in a terminal. */
export type Place = {
  readonly dir: string
  readonly port: number
  readonly practicePort: number
  readonly env: NodeJS.ProcessEnv
}

/** @param practice as the variable `PRACTICE`, or unset. */
export async function makePlace(practice?: 'off'): Promise<Place> {
  const [dir, port, practicePort] = [await makeFolder(), await freePort(), await freePort()]
  // A copy, because pages of a file that processes outside the tree use too would be counted as theirs in part.
  await mkdir(path.join(dir, 'bin'))
  await copyFile(process.execPath, path.join(dir, 'bin', 'node'))
  const env = {
    PATH: [path.join(dir, 'bin'), process.env['PATH']].join(path.delimiter),
    HOME: process.env['HOME'],
    PORT: String(port),
    PRACTICE_PORT: String(practicePort),
    DATA_DIR: path.join(dir, 'data'),
    ...(practice && { PRACTICE: practice }),
  }
  await mkdir(env.DATA_DIR, { mode: 0o711 })
  return { dir, port, practicePort, env }
}

export type Started = { readonly pid: number; readonly seconds: number; stop(): Promise<void> }

/** Runs a command until its server answers. Stopped by its process group, as by Ctrl-C. */
export async function startIn({ port, env }: Place, command: readonly string[]): Promise<Started> {
  const [program = '', ...args] = command
  const began = performance.now()
  const child = spawn(program, args, {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${child.exitCode}.`)
    await sleep(5)
  }
  const seconds = (performance.now() - began) / 1000
  const pid = child.pid ?? 0
  return {
    pid,
    seconds,
    async stop() {
      process.kill(-pid, 'SIGINT')
      await ended
      while (await answers(port)) await sleep(50)
    },
  }
}

/** Not `fetch`: it would wait longer each time that nothing listens. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ port, path: '/healthz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    call.once('error', () => resolve(false))
    call.end()
  })
}

export const removePlace = ({ dir }: Place): Promise<void> => rm(dir, { recursive: true, force: true })

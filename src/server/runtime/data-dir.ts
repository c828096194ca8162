import { chmod, lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { StartError } from '#base/start-error.ts'
import { systemCode } from '#base/system.ts'

/** For root: the database runs as another account and must get through, without seeing what is there. */
const PASSABLE = process.getuid?.() === 0 ? 0o711 : 0o700

/**
 * Makes DATA_DIR where it is missing, proves that it can be written, and closes what is ours in it to other users.
 * @throws StartError when it cannot.
 */
export async function prepareDataDir(dir: string): Promise<void> {
  const probe = path.join(dir, `.probe-${process.pid}`)
  try {
    await make(dir, PASSABLE)
    await writeFile(probe, '') // asking for permission would not notice a full or read-only disk
    await rm(probe)
    await tightenAll(dir)
  } catch (cause) {
    const code = systemCode(cause)
    if (code === null) throw cause
    throw new StartError(
      `DATA_DIR ${dir} cannot be written (${code}): mend that, or set DATA_DIR to another folder.`,
      {
        cause,
      },
    )
  }
}

// Not mkdir's `recursive`, which never returns where a folder cannot be made and says ENOENT, as under /proc.
async function make(dir: string, mode: number): Promise<void> {
  if (await isFolder(dir)) return
  await make(path.dirname(dir), 0o755)
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

/**
 * Earlier versions, and other umasks, left folders and files that every local user could read. Only our own folders: DATA_DIR itself
 * may be a place that holds other things too.
 */
async function tightenAll(dir: string): Promise<void> {
  for (const folder of ['media', 'mailbox', 'practice']) await tighten(path.join(dir, folder))
  // The cluster in it belongs to the database's account, and PostgreSQL keeps it closed itself.
  const postgres = path.join(dir, 'postgres')
  if (!(await isFolder(postgres))) return
  for (const entry of await readdir(postgres, { withFileTypes: true })) {
    if (entry.isFile()) await restrict(path.join(postgres, entry.name), 0o600)
  }
  await restrict(postgres, PASSABLE)
}

/** Contents first, then the folder: a folder that is closed already marks finished work and is skipped. */
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
    // Another user's, where root started the server before; or swept by another process meanwhile.
    if (!['EPERM', 'ENOENT', 'EROFS'].includes(systemCode(error) ?? '')) throw error
  })
}

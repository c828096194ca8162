import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { StartError } from './start-error.ts'
import { systemCode } from './system.ts'

/**
 * Makes DATA_DIR where it is missing and proves that it can be written.
 * @throws StartError when it cannot.
 */
export async function prepareDataDir(dir: string): Promise<void> {
  const probe = path.join(dir, `.probe-${process.pid}`)
  try {
    // Nobody else's business. Root's may be passed through (not listed): the database runs as another account there.
    await make(dir, process.getuid?.() === 0 ? 0o711 : 0o700)
    await writeFile(probe, '') // asking for permission would not notice a full or read-only disk
    await rm(probe)
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

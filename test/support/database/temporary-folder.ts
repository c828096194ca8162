import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const IN_MEMORY = '/dev/shm'
const MOUNTS = '/proc/self/mounts'
/** Five times what a run of all tests needs at once. */
const FREE_BYTES = 2 * 1024 ** 3

/**
 * Makes one folder for the temporary files of tests and their processes, and names it in TMPDIR. @returns a function that
 * deletes it with its content
 */
export async function makeTemporaryFolder(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(isRoomy(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'reelay-'))
  await chmod(folder, 0o711) // for the database's own account, where we are root
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  return async () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    await rm(folder, { recursive: true, force: true })
  }
}

/** For Linux machines with plenty of memory: a new database of 1,500 small files takes five times the processor time on ext4. */
const isRoomy = (folder: string): boolean =>
  process.env['TMPDIR'] === undefined &&
  isExecutableTmpfs(folder) &&
  freeBytes(folder) >= FREE_BYTES &&
  process.availableMemory() >= 2 * FREE_BYTES

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Some tests run programs that they write, which containers often forbid. */
function isExecutableTmpfs(folder: string): boolean {
  if (!existsSync(MOUNTS)) return false
  const mounts = readFileSync(MOUNTS, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  const [, , type, options = ''] = mounts.find(([, place]) => place === folder) ?? []
  return type === 'tmpfs' && !options.split(',').includes('noexec')
}

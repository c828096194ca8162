import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Node has no other way to ask; EPERM means that the process belongs to another user.
    return systemCode(error) === 'EPERM'
  }
}

export function readCpuMs(pid: number): number | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch (error) {
    if (systemCode(error) === null) throw error
    return null
  }
  // proc_pid_stat(5): `state` is the 3rd field, after the name in parentheses; the 14th and 15th are hundredths of a
  // second.
  const [, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Reads the secret in this file, or makes one: 256 bits that only our account may read. Written aside and linked, so that
 * two concurrent first starts agree on one.
 */
export async function ownSecret(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    return null
  })
  if (known !== null) return known.trim()
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  await link(draft, file).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}

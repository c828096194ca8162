import { readFileSync } from 'node:fs'
import { systemCode } from './system-error.ts'

export function isProcessAlive(pid: number): boolean {
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

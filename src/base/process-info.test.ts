import { expect, it } from 'vitest'
import { readCpuMs } from './process-info.ts'

it.runIf(process.platform === 'linux')('the CPU time of a process is what it has used', () => {
  const before = readCpuMs(process.pid) ?? Number.NaN
  const ours = process.cpuUsage()
  const used = () => {
    const { user, system } = process.cpuUsage(ours)
    return (user + system) / 1000
  }
  while (used() < 200);
  expect(Math.abs((readCpuMs(process.pid) ?? Number.NaN) - before - used())).toBeLessThan(50)
})

it('a process that does not exist has no CPU time', () => {
  expect(readCpuMs(0)).toBeNull()
})

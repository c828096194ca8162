import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** Runs `burst` in a process of its own, calls its `end()`, and waits until so many bytes of its memory went back to the system. */
async function run(burst: string, releasedBytes: number): Promise<string> {
  const program = `
    import { releaseWhenIdle } from '${new URL('idle-memory.ts', import.meta.url).href}'
    ${burst}
    const full = process.memoryUsage().rss
    end()
    releaseWhenIdle(200)
    const timer = setInterval(() => {
      if (process.memoryUsage().rss > full - ${releasedBytes}) return
      clearInterval(timer)
      console.log('released', typeof globalThis.gc)
    }, 50)
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env['PATH'] },
    timeout: 120_000,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return said
}

test('memory that a burst took is given back once there is nothing to do', async () => {
  // 100 MB that nothing holds any more; without a collection it would wait for ever. Large, because V8 returns those at once.
  const burst = `
    let burst = Array.from({ length: 100 }, () => new Array(130_000).fill('burst'))
    const end = () => (burst = null)
  `
  expect(await run(burst, 50_000_000)).toBe('released undefined\n')
})

// `malloc_trim` exists in glibc only.
test.runIf(isGlibc())('free memory between pieces in use is given back', async () => {
  // 100 MB, of which 2 % stay in use, spread over the whole.
  const burst = `
    let burst = Array.from({ length: 50_000 }, () => Buffer.allocUnsafeSlow(2000).fill(1))
    const end = () => (burst = burst.filter((_, i) => i % 50 === 0))
  `
  expect(await run(burst, 80_000_000)).toBe('released undefined\n')
})

function isGlibc(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}

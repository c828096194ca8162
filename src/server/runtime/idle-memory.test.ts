import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** Runs `burst` in a process of its own, calls its `end()`, and waits until so many bytes of its memory went back to the system. */
const releaseAfter = (burst: string, releasedBytes: number): Promise<string> =>
  run(`
    ${burst}
    const full = process.memoryUsage().rss
    end()
    releaseWhenIdle(200)
    const timer = setInterval(() => {
      if (process.memoryUsage().rss > full - ${releasedBytes}) return
      clearInterval(timer)
      console.log('released', typeof globalThis.gc)
    }, 50)
  `)

/** @returns what this program prints, with `releaseWhenIdle` imported. */
async function run(body: string): Promise<string> {
  const program = `import { releaseWhenIdle } from '${new URL('idle-memory.ts', import.meta.url).href}'\n${body}`
  // V8 would collect after some seconds without allocations, in so small a program.
  const flags = ['--no-memory-reducer', '--input-type=module']
  const child = spawn(process.execPath, [...flags, '-e', program], {
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
  expect(await releaseAfter(burst, 50_000_000)).toBe('released undefined\n')
})

test('what is let go after the first collection is collected too, although nothing grows', async () => {
  const said = await run(`
    const held = { first: {}, second: {} }
    const seen = { first: new WeakRef(held.first), second: new WeakRef(held.second) }
    delete held.first
    releaseWhenIdle(200)
    const timer = setInterval(() => {
      if (seen.first.deref() === undefined) delete held.second
      if (seen.second.deref() !== undefined) return
      clearInterval(timer)
      console.log('collected twice')
    }, 50)
  `)
  expect(said).toBe('collected twice\n')
})

// `malloc_trim` exists in glibc only.
test.runIf(isGlibc())('free memory between pieces in use is given back', async () => {
  // 100 MB, of which 2 % stay in use, spread over the whole.
  const burst = `
    let burst = Array.from({ length: 50_000 }, () => Buffer.allocUnsafeSlow(2000).fill(1))
    const end = () => (burst = burst.filter((_, i) => i % 50 === 0))
  `
  expect(await releaseAfter(burst, 80_000_000)).toBe('released undefined\n')
})

function isGlibc(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}

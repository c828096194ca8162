import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

// 100 MB that nothing holds any more; without a collection it would wait for ever. Large, because V8 returns those at once.
const PROGRAM = `
  import { releaseWhenIdle } from '${new URL('idle-memory.ts', import.meta.url).href}'
  let burst = Array.from({ length: 100 }, () => new Array(130_000).fill('burst'))
  const full = process.memoryUsage().rss
  burst = null
  releaseWhenIdle(200)
  const timer = setInterval(() => {
    if (process.memoryUsage().rss > full - 50_000_000) return
    clearInterval(timer)
    console.log('released', typeof globalThis.gc)
  }, 50)
`

test('memory that a burst took is given back once there is nothing to do', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(said).toBe('released undefined\n')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'reelay-follow-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** What a launcher and the program that it turns into say, and how they end. */
async function launch(program: string, env: NodeJS.ProcessEnv = {}) {
  const file = path.join(dir, 'program.mjs')
  writeFileSync(file, program)
  const follow = new URL('follow.mjs', import.meta.url).href
  const launcher = `import { become } from '${follow}'; await become(process.execPath, ['${file}'], { MORE: 'more' })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', launcher], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { pid: child.pid, out, err, code: child.exitCode }
}

test('the program takes the process id of its launcher and ends with its own exit code', async () => {
  const { pid, out, err, code } = await launch(
    'console.log(process.pid, process.env.MORE, process.argv.length); process.exit(7)',
  )
  expect({ out, err, code }).toEqual({ out: `${pid} more 2\n`, err: '', code: 7 })
})

test('the program learns which npm has started it', async () => {
  const { out } = await launch('console.log(process.argv[2])', { npm_lifecycle_event: 'start' })
  expect(out).toBe(`--until-end-of=${process.pid}\n`)
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listSettings } from './run.mjs'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'reelay-run-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Says what reaches it, and ends then. */
const LISTENER = `
  process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(0) })
  process.on('disconnect', () => { console.log('disconnect'); process.exit(0) })
  console.log('ready')
`

/** Starts a launcher of this program; `below`: as the child of a process that can be killed, as npm can. */
function launch(program: string, { below = false } = {}) {
  const file = path.join(dir, 'program.mjs')
  writeFileSync(file, program)
  const run = new URL('run.mjs', import.meta.url).href
  const launcher = path.join(dir, 'launcher.mjs')
  writeFileSync(
    launcher,
    `import { runInFront } from '${run}'
     process.exitCode = await runInFront(process.execPath, ['${file}', '--hold'], { MORE: 'more' })`,
  )
  const npm = path.join(dir, 'npm.mjs')
  writeFileSync(
    npm,
    `import { spawn } from 'node:child_process'
     spawn(process.execPath, ['${launcher}'], { stdio: 'inherit' })`,
  )
  const child = spawn(process.execPath, [below ? npm : launcher], {
    env: { PATH: process.env['PATH'], ...(below && { npm_lifecycle_event: 'start' }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, said: text(child.stdout) }
}

test('a program gets its arguments and variables, and its exit code is that of the launcher', async () => {
  const { child, said } = launch('console.log(process.argv[2], process.env.MORE); process.exit(7)')
  const [code] = (await once(child, 'exit')) as [number]
  expect({ code, said: await said }).toEqual({ code: 7, said: '--hold more\n' })
})

test('settings come from a file if it is there, and the environment wins', async () => {
  const file = path.join(dir, 'reelay.env')
  expect(listSettings(file)).toEqual([])
  writeFileSync(file, '# a comment\nPORT=4500\nMAIL_FROM="Reelay <a@example.com>"\nHOST=0.0.0.0\n')
  const program = ['-p', 'process.env.PORT + process.env.MAIL_FROM + process.env.HOST']
  const child = spawn(process.execPath, [...listSettings(file), ...program], { env: { HOST: '127.0.0.1' } })
  expect(await text(child.stdout)).toBe('4500Reelay <a@example.com>127.0.0.1\n')
})

test('a signal for the launcher reaches the program', async () => {
  const { child, said } = launch(LISTENER)
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await said).toContain('SIGTERM')
})

test('a program hears that its launcher was killed', async () => {
  const { child, said } = launch(LISTENER)
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  expect(await said).toContain('disconnect')
})

test('a program ends when the npm that started its launcher was killed', async () => {
  const { child, said } = launch(LISTENER, { below: true })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  expect(await said).toContain('SIGTERM')
})

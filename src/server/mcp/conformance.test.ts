import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'
import { buildApp } from '../app.ts'

const CLI = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const run = promisify(execFile)

const APPLY = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
/** Why the other scenarios of the suite cannot apply: most of them call tools that only a test server has. */
const DO_NOT_APPLY: Readonly<Record<string, RegExp>> = {
  'calls a tool of a test server, such as test_simple_text': /^tools-call-|^json-schema-2020-12$/,
  'calls a tool of a test server, to be asked back': /^elicitation-/,
  'needs sessions and their streams': /^server-sse-/,
  'Reelay has no resources': /^resources-/,
  'Reelay has no prompts': /^prompts-|^completion-complete$/,
  'Reelay sends no log messages': /^logging-/,
}

let testServer: TestServer
let app: Awaited<ReturnType<typeof buildApp>>
let url: string
let dir: string
beforeAll(async () => {
  testServer = await startTestServer()
  const person = await signUp(testServer)
  const { secret } = await person.call('createApiKey', {
    body: { name: 'Conformance', scopes: ['read'], expires_in_days: 1 },
  })
  app = await buildApp(testServer.deps)
  // The suite sends no token.
  app.server.prependListener('request', ({ headers }) => {
    headers.authorization = `Bearer ${secret}`
  })
  url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  dir = await mkdtemp(path.join(tmpdir(), 'reelay-conformance-'))
})
afterAll(async () => {
  await app.close()
  await testServer.stop()
  await rm(dir, { recursive: true, force: true })
})

it.each(APPLY)('conforms to the scenario %s', async (scenario) => {
  const { stdout } = await run(process.execPath, [CLI, 'server', '--url', url, '--scenario', scenario], {
    cwd: dir,
  }).catch((error: unknown) => error as { stdout: string }) // it prints what failed, and exits with 1
  expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/)
})

it('knows every scenario of the suite, and why it does not apply', async () => {
  const { stdout } = await run(process.execPath, [CLI, 'list', '--server'], { cwd: dir })
  const scenarios = [...stdout.matchAll(/^ +- (\S+)/gm)].map(([, name = '']) => name)
  expect(scenarios.length).toBeGreaterThan(30)
  const unknown = scenarios.filter(
    (name) => !APPLY.includes(name) && !Object.values(DO_NOT_APPLY).some((pattern) => pattern.test(name)),
  )
  expect(unknown).toEqual([])
})

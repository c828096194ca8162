import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIENT_FILE } from '#contract/http/addresses.ts'
import { KEY_SCOPES } from '#contract/http/key-rights.ts'
import { fixture } from '#test/support/sample.ts'
import { signUpToPost } from '#test/support/publish.ts'
import { startTestServer, type TestServer } from '#test/support/test-server.ts'

const fromRoot = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))
const run = promisify(execFile)

let testServer: TestServer
let folder: string
beforeAll(async () => {
  testServer = await startTestServer({ worker: true })
  folder = await mkdtemp(path.join(tmpdir(), 'reelay-client-'))
  const answer = await fetch(`${testServer.url}${CLIENT_FILE}`)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  await writeFile(path.join(folder, 'reelay.ts'), await answer.text())
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await copyFile(fromRoot('docs/integrations/publish.ts'), path.join(folder, 'publish.ts'))
})
afterAll(async () => {
  await testServer.stop()
  await rm(folder, { recursive: true, force: true })
})

it('the client and its example compile under strict rules', async () => {
  const options = '--noEmit --strict --target es2024 --module nodenext --allowImportingTsExtensions'.split(
    ' ',
  )
  const types = ['--types', 'node', '--typeRoots', fromRoot('node_modules/@types')]
  const files = ['publish.ts', 'reelay.ts']
  const tsc = fromRoot('node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, ...options, ...types, ...files], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

it('the example publishes a video, and run again finds the same post', async () => {
  const { person } = await signUpToPost(testServer)
  const accounts = await person.call('listAccounts')
  const ids = accounts.map(({ account_id }) => account_id)
  const { secret } = await person.call('createApiKey', {
    body: { name: 'script', scopes: [...KEY_SCOPES], expires_in_days: 1 },
  })
  const publish = () =>
    run(process.execPath, ['publish.ts', fixture('good.mp4'), 'Opening day', ids.join(',')], {
      cwd: folder,
      env: { ...process.env, REELAY_URL: testServer.url, REELAY_API_KEY: secret },
    })
  const [first, second] = [await publish(), await publish()]
  for (const { account_id, username } of accounts)
    for (const { stdout } of [first, second])
      expect(stdout).toMatch(new RegExp(`^${account_id} ${username}: published `, 'm'))
  expect((await person.call('listPosts')).items).toHaveLength(1)
})

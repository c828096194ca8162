import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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
  await writeFile(path.join(folder, 'caller.ts'), CALLER)
})
afterAll(async () => {
  await testServer.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A caller under the strictest rules. The lines after `@ts-expect-error` must not compile. */
const CALLER = `import { createReelay, type Post, ReelayError } from './reelay.ts'

export async function makePosts(url: string, key: string, video_id: number, account_id: number, nothing?: string) {
  const reelay = createReelay({ url, key })
  const make = (text: string, id: number) =>
    reelay('createPost', {
      headers: { 'Idempotency-Key': nothing },
      body: { video_id: id, text, targets: [{ account_id, text: nothing }], confirm_repeat: true },
      signal: undefined,
    })
  await make('One', video_id)
  await make('Two', video_id)
  const refusal = await make('Three', 999_999).catch((error: unknown) => {
    if (!(error instanceof ReelayError)) throw error
    const messages: readonly string[] | undefined = error.errors['text']
    return [error.code === 'not_found', error.status, error.retryable, error.retryAfter, messages ?? null]
  })
  const { items } = await reelay('listPosts', { query: { cursor: nothing } })
  const last: Post | undefined = items[1]
  return { refusal, posts: items.length, last: last?.text, brands: (await reelay('listBrands')).length }
}

export async function misuse(): Promise<void> {
  const reelay = createReelay({ url: '', key: '' })
  // @ts-expect-error -- params are missing
  await reelay('getPost')
  // @ts-expect-error -- an id is a number
  await reelay('getPost', { params: { postId: '1' } })
  // @ts-expect-error -- there is no such field
  await reelay('listPosts', { query: { limits: 1 } })
  // @ts-expect-error -- keys cannot call it
  await reelay('listApiKeys')
}
`
const STRICT =
  '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noPropertyAccessFromIndexSignature --verbatimModuleSyntax --erasableSyntaxOnly --allowImportingTsExtensions'

it.each([
  [
    'a browser',
    '',
    'reelay.ts caller.ts --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom',
  ],
  ['Node', 'node', 'reelay.ts caller.ts publish.ts --target es2024 --module nodenext --lib es2024'],
])('the client and its callers compile under strict rules for %s', async (_where, types, options) => {
  const tsc = fromRoot('node_modules/typescript/bin/tsc')
  const given = ['--typeRoots', fromRoot('node_modules/@types'), '--types', types]
  const args = [tsc, ...`${STRICT} ${options}`.split(' '), ...given]
  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})

it('the client says what its calls and fields mean', async () => {
  const file = await readFile(path.join(folder, 'reelay.ts'), 'utf8')
  expect(file).toMatch(/\/\*\* Delete a post[^\n]* \*\/\n +deletePost: \{/)
  expect(file).toMatch(/\/\*\* What you call it[^\n]* \*\/\n +reference\?: string \| undefined\n/)
})

it('the client leaves out what is undefined, and throws what the server refuses', async () => {
  const { person, videoId, tiktok } = await signUpToPost(testServer)
  const { secret } = await person.call('createApiKey', {
    body: { name: 'script', scopes: [...KEY_SCOPES], expires_in_days: 1 },
  })
  const args = [testServer.url, secret, videoId, tiktok].map((one) => JSON.stringify(one)).join()
  const program = `import { makePosts } from './caller.ts'; console.log(JSON.stringify(await makePosts(${args})))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({
    refusal: [true, 404, false, null, null],
    posts: 2,
    last: 'Two',
    brands: 1,
  })
})

it('the example publishes a video, and run again finds the same post', async () => {
  const { person } = await signUpToPost(testServer)
  const accounts = await person.call('listAccounts')
  const ids = accounts.map(({ account_id }) => account_id)
  const { secret } = await person.call('createApiKey', {
    body: {
      name: 'script',
      scopes: [...KEY_SCOPES],
      expires_in_days: 1,
      limited_to: { brand_ids: [], account_ids: ids },
    },
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

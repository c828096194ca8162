import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { API } from '#contract/api/api.ts'
import { Account } from '#contract/accounts.ts'
import { DryRun } from '#contract/planning/dry-run.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { Post, PostDetail } from '#contract/posts.ts'
import { REQUIRED_OPTIONS } from '../support/options.ts'
import { uploadVideo } from '../support/publish.ts'
import {
  linkAccount,
  livePosts,
  signUp,
  startTestServer,
  type TestServer,
  until,
} from '../support/test-server.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer({ worker: true })
})
afterAll(() => testServer.stop())

const Answer = z.object({ reply: z.unknown().optional(), problem: z.unknown().optional() })

it('an assistant finds its way from the tools to a post that is live once on each account', async () => {
  const ada = await signUp(testServer)
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  for (const platform of PLATFORM_IDS) await linkAccount(ada, { platform, brandId })
  await uploadVideo(ada)
  const { secret } = await ada.call('createApiKey', {
    body: { name: 'Assistant', scopes: ['read', 'publish'], expires_in_days: 1 },
  })

  const client = new Client({ name: 'assistant', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${secret}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${testServer.url}/mcp`), { requestInit }))
  expect(client.getInstructions()).toContain('tryPost')
  const call = async (name: string, args: Record<string, unknown>) =>
    Answer.parse((await client.callTool({ name, arguments: args })).structuredContent)
  const query = (operation: string, args: object = {}) => call('query_operation', { operation, ...args })
  const execute = (operation: string, args: object = {}) => call('execute_operation', { operation, ...args })

  const accounts = z.array(Account).parse((await query('listAccounts')).reply)
  const [video] = API.listVideos.reply.parse((await query('listVideos')).reply).videos
  // What a platform needs is learnt from the refusal.
  const targets = accounts.map(({ account_id }): object => ({ account_id }))
  const body = { video_id: video?.video_id, text: 'Opening day', targets }
  const refused = z.object({ errors: z.record(z.string(), z.array(z.string())) })
  const { errors } = refused.parse((await query('tryPost', { body })).problem)
  expect(Object.keys(errors).every((field) => /^targets\.\d+\.options\./.test(field))).toBe(true)

  body.targets = accounts.map(({ account_id, platform }) => ({
    account_id,
    options: REQUIRED_OPTIONS[platform],
  }))
  const { preview_token } = DryRun.parse((await query('tryPost', { body })).reply)
  const made = await Promise.all(
    Array.from({ length: 5 }, () => execute('createPost', { body: { ...body, preview_token } })),
  )
  const ids = new Set(made.map(({ reply }) => Post.parse(reply).post_id))
  expect(ids.size).toBe(1)
  const [postId] = ids
  await until('the post to be live', async () => {
    const { deliveries } = PostDetail.parse((await query('getPost', { params: { postId } })).reply)
    return deliveries.every(({ status }) => status === 'published')
  })
  expect((await livePosts(testServer)).map(({ platform }) => platform).toSorted()).toEqual(
    PLATFORM_IDS.toSorted(),
  )
})

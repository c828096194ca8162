import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API, type EndpointName } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import { ProblemBody, PROBLEMS } from '#contract/http/problem.ts'
import { openapi } from '#server/http/openapi.ts'
import {
  linkAccount,
  pathOf,
  signUp,
  startTestServer,
  type TestServer,
  type Person,
} from '../support/test-server.ts'
import { pngFile } from '../support/png.ts'
import { postTikTok, uploadPicture } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'
import { createUpload } from '../support/uploads.ts'

type Theirs = {
  brandId: number
  accountId: number
  videoId: number
  uploadId: string
  pictureId: number
  postId: number
  scheduleId: number
  draftId: string
  presetId: number
  keyId: number
  webhookId: number
  messageId: number
  deliveryId: number
}
type Sent = { params?: object; query?: object; body?: object | FormData }

const A_DRAFT = '0b8e2a5c-5f3c-4a57-9b0e-6a4f3d2c1b0a'
/** Valid ids that are no numbers. */
const OF_ANOTHER_KIND: Readonly<Record<string, string>> = { draftId: A_DRAFT, uploadId: 'a'.repeat(32) }
const EMPTY = { video_id: null, text: '', platform_options: {}, targets: [], publish_at: null }
const A_SET = { kind: 'accounts', name: 'Mine now' } as const
const A_SCHEDULE = { name: 'Mornings', slots: [{ weekday: 1, time: '08:00', platforms: null }] }

let testServer: TestServer
let ada: Person
let eve: Person
let theirs: Theirs

beforeAll(async () => {
  testServer = await startTestServer()
  // The first user operates the server.
  ada = await signUp(testServer, 'Ada')
  eve = await signUp(testServer, 'Eve')
  const { brand_id } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id } = await linkAccount(ada, { platform: 'tiktok', brandId: brand_id })
  const post = await postTikTok(ada, account_id, sampleVideo())
  const [delivery] = post.deliveries
  const { schedule_id } = await ada.call('createSchedule', { body: { brand_id, ...A_SCHEDULE } })
  await ada.call('saveDraft', { params: { draftId: A_DRAFT }, body: { version: 0, content: EMPTY } })
  const { preset_id } = await ada.call('createPreset', {
    body: { kind: 'accounts', name: 'All', content: { account_ids: [account_id] } },
  })
  const { webhook } = await ada.call('createWebhook', {
    body: { address: 'https://hooks.example.com/reelay', events: ['post.failed'] },
  })
  const { webhook_id: webhookId } = webhook
  const { message_id: messageId } = await ada.call('testWebhook', { params: { webhookId } })
  const { key } = await ada.call('createApiKey', {
    body: { name: 'n8n', scopes: ['read'], expires_in_days: null },
  })
  theirs = {
    brandId: brand_id,
    accountId: account_id,
    videoId: post.video.video_id,
    uploadId: await createUpload(ada, 1000),
    pictureId: (await uploadPicture(ada)).picture_id,
    postId: post.post_id,
    scheduleId: schedule_id,
    draftId: A_DRAFT,
    presetId: preset_id,
    keyId: key.key_id,
    webhookId,
    messageId,
    deliveryId: delivery?.delivery_id ?? 0,
  }
})
afterAll(() => testServer.stop())

const endpoints = Object.entries(API) as [EndpointName, Endpoint][]

function ask(endpoint: Endpoint, sent: Sent, who: Person | null): Promise<Response> {
  const body = sent.body instanceof FormData ? sent.body : sent.body && JSON.stringify(sent.body)
  return fetch(`${testServer.url}/api/v1${pathOf(endpoint, sent)}`, {
    method: endpoint.method,
    headers: {
      ...(who && { authorization: `Bearer ${who.token}` }),
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
}

async function problem(answer: Response): Promise<ProblemBody> {
  return ProblemBody.parse(await answer.json())
}

const anyParams = (endpoint: Endpoint, value: string) =>
  Object.fromEntries(
    [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [
      name,
      name === 'platform' ? 'tiktok' : value === '1' ? (OF_ANOTHER_KIND[name] ?? value) : value,
    ]),
  )

describe('signed out', () => {
  for (const [name, endpoint] of endpoints) {
    if (endpoint.auth === 'none') continue
    it(`${name} answers 401, whatever is sent`, async () => {
      const sent = { params: anyParams(endpoint, '1'), ...(endpoint.method !== 'GET' && { body: {} }) }
      const answer = await ask(endpoint, sent, null)
      expect(answer.status).toBe(401)
      expect((await problem(answer)).code).toBe('unauthorized')
    })
    it(`${name} answers 401 to an invalid token`, async () => {
      const answer = await ask(
        endpoint,
        { params: anyParams(endpoint, '1') },
        { ...eve, token: `${eve.token}x` },
      )
      expect(answer.status).toBe(401)
    })
  }
})

const paged = endpoints.filter(
  ([, { query, auth }]) => query !== undefined && 'cursor' in query.shape && auth !== 'operator',
)

const FOREIGN_CURSORS = [
  '',
  '0',
  '9'.repeat(15),
  '-1',
  '1.1.1',
  'all.0',
  'all.9.9.9',
  'name.1.',
  'name.1.AA',
  "'",
  '\0',
  '%',
  '🍋',
]

describe('a cursor', () => {
  let kim: Person
  beforeAll(async () => {
    kim = await signUp(testServer, 'Kim')
    const { brand_id: brandId } = await kim.call('createBrand', { body: { title: 'Harbour' } })
    const { account_id } = await linkAccount(kim, { platform: 'tiktok', brandId })
    for (let i = 0; i < 2; i += 1) await postTikTok(kim, account_id, sampleVideo())
  })

  it.each(paged)('of another list, another filter or nowhere is refused by %s', async (_name, endpoint) => {
    const cursors = [...(await cursorsOf(kim)), ...FOREIGN_CURSORS]
    for (const filter of ['', '&status=upcoming', '&status=past', '&sort=name', '&sort=largest'])
      for (const cursor of cursors) {
        const path = `${endpoint.path}?cursor=${encodeURIComponent(cursor)}${filter}`
        const { status } = await kim.request(path, { method: endpoint.method })
        expect([path, status]).toEqual([path, status === 200 ? 200 : 400])
      }
  })
})

/** A cursor of each list of this person that has two pages. */
async function cursorsOf(person: Person): Promise<string[]> {
  const pages = [
    ...['all', 'scheduled', 'publishing', 'past'].map((status) => `/posts?limit=1&status=${status}`),
    ...['newest', 'oldest', 'name', 'largest'].map((sort) => `/videos?limit=1&sort=${sort}`),
  ]
  const found = []
  for (const page of pages) {
    const { next_cursor } = (await (await person.request(page)).json()) as { next_cursor: string | null }
    if (next_cursor !== null) found.push(next_cursor)
  }
  expect(found.length).toBeGreaterThan(3)
  return found
}

it.each(endpoints.filter(([, { method }]) => method === 'GET'))(
  '%s answers HEAD and ends',
  async (_name, endpoint) => {
    const path = pathOf(endpoint, { params: anyParams(endpoint, '1') })
    const answer = await ada.request(path, { method: 'HEAD' })
    expect(await answer.text()).toBe('')
    expect(answer.status).toBeLessThan(500)
  },
)

const form = (fields: Record<string, unknown>, file: string) => {
  const data = new FormData()
  data.append(file, sampleVideo().file)
  for (const [name, value] of Object.entries(fields)) {
    data.append(name, JSON.stringify(value))
  }
  return data
}

/** How each endpoint names another user's thing. A new endpoint must say here if it takes an id. */
const NAMING: Record<EndpointName, 'takes no id' | 'for operators' | ((their: Theirs) => Sent)> = {
  getSettings: 'takes no id',
  getHelp: 'takes no id',
  createUser: 'takes no id',
  admitUser: 'takes no id',
  getUser: 'takes no id',
  setNickname: 'takes no id',
  setTimezone: 'takes no id',
  deleteUser: 'takes no id',
  signOutEverywhere: 'takes no id',
  listBrands: 'takes no id',
  createBrand: 'takes no id',
  renameBrand: (their) => ({ body: { brand_id: their.brandId, title: 'Mine now' } }),
  setBrandLogo: (their) => {
    const body = new FormData()
    body.append('logo', new File([pngFile()], 'logo.png'))
    return { params: { brandId: their.brandId }, body }
  },
  deleteBrandLogo: (their) => ({ params: { brandId: their.brandId } }),
  deleteBrand: (their) => ({ params: { brandId: their.brandId } }),
  getBrandWaiting: (their) => ({ params: { brandId: their.brandId } }),
  listAccounts: (their) => ({ query: { brandId: their.brandId } }),
  listPostsToday: 'takes no id',
  getAccountOptions: (their) => ({ params: { accountId: their.accountId } }),
  unlinkAccount: (their) => ({ params: { accountId: their.accountId } }),
  getAccountWaiting: (their) => ({ params: { accountId: their.accountId } }),
  startLink: (their) => ({ params: { platform: 'tiktok' }, body: { brand_id: their.brandId } }),
  // Its state is the id, and the tests of accounts show that another user's state is refused.
  finishLink: 'takes no id',
  uploadVideo: 'takes no id',
  fetchVideo: 'takes no id',
  listVideos: (their) => ({ query: { brand_id: their.brandId } }),
  getVideo: (their) => ({ params: { videoId: their.videoId } }),
  getLibrary: 'takes no id',
  updateVideo: (their) => ({ params: { videoId: their.videoId }, body: { filename: 'Mine now' } }),
  updateVideos: (their) => ({ body: { video_ids: [their.videoId], add_tags: ['mine'] } }),
  readVideoUsage: (their) => ({ body: { video_ids: [their.videoId] } }),
  deleteVideos: (their) => ({ body: { video_ids: [their.videoId], cancel_posts: 1 } }),
  createPlayback: (their) => ({ params: { videoId: their.videoId } }),
  setVideoPoster: (their) => {
    const body = new FormData()
    body.append('poster', new File([new Uint8Array([0xff, 0xd8, 0xff])], 'poster.jpg'))
    return { params: { videoId: their.videoId }, body }
  },
  deleteVideo: (their) => ({ params: { videoId: their.videoId } }),
  postTikTokVideo: (their) => {
    const sample = sampleVideo()
    const data = form(
      {
        post_info: { title: 'Mine' },
        source_info: tiktokSourceInfo(sample.bytes),
        accountId: their.accountId,
      },
      'unused',
    )
    data.delete('unused')
    data.append('videoFile', sample.file)
    return { body: data }
  },
  postInstagramMedia: (their) => ({
    body: form({ post_info: { caption: 'Mine' }, accountId: their.accountId }, 'video'),
  }),
  listUploads: 'takes no id',
  getUpload: (their) => ({ params: { uploadId: their.uploadId } }),
  uploadPicture: 'takes no id',
  getPicture: (their) => ({ params: { pictureId: their.pictureId } }),
  createPost: (their) => ({
    body: { video_id: their.videoId, text: 'Mine', targets: [{ account_id: their.accountId }] },
  }),
  createPosts: (their) => ({
    body: {
      posts: [{ video_id: their.videoId, text: 'Mine', targets: [{ account_id: their.accountId }] }],
    },
  }),
  tryPost: (their) => ({
    body: { video_id: their.videoId, text: 'Hi', targets: [{ account_id: their.accountId }] },
  }),
  findSimilarPosts: (their) => ({
    body: { video_id: their.videoId, targets: [{ account_id: their.accountId, text: 'Mine' }] },
  }),
  listPosts: (their) => ({ query: { brandId: their.brandId } }),
  listSchedules: 'takes no id',
  createSchedule: (their) => ({ body: { brand_id: their.brandId, ...A_SCHEDULE } }),
  changeSchedule: (their) => ({
    params: { scheduleId: their.scheduleId },
    body: { version: 1, ...A_SCHEDULE },
  }),
  previewSchedule: (their) => ({
    params: { scheduleId: their.scheduleId },
    body: { version: 1, ...A_SCHEDULE },
  }),
  previewBrandZone: (their) => ({
    params: { brandId: their.brandId },
    body: { timezone: 'Asia/Tokyo' },
  }),
  deleteSchedule: (their) => ({ params: { scheduleId: their.scheduleId } }),
  listNextSlots: (their) => ({ params: { scheduleId: their.scheduleId } }),
  listDrafts: 'takes no id',
  getDraft: (their) => ({ params: { draftId: their.draftId } }),
  saveDraft: (their) => ({
    params: { draftId: their.draftId },
    body: { version: 1, content: { ...EMPTY, text: 'Mine' } },
  }),
  deleteDraft: (their) => ({ params: { draftId: their.draftId } }),
  restoreDraft: (their) => ({ params: { draftId: their.draftId } }),
  listApiKeys: 'takes no id',
  getOwnApiKey: 'takes no id',
  createApiKey: (their) => ({
    body: {
      name: 'Mine',
      scopes: ['read'],
      expires_in_days: 1,
      limited_to: { account_ids: [their.accountId] },
    },
  }),
  extendApiKey: (their) => ({ params: { keyId: their.keyId } }),
  deleteApiKey: (their) => ({ params: { keyId: their.keyId } }),
  getAuthorizationRequest: 'takes no id',
  approveAuthorization: (their) => ({
    body: {
      request: { user_code: 'BCDF-GHJK' },
      scopes: ['read'],
      limited_to: { account_ids: [their.accountId] },
    },
  }),
  declineAuthorization: 'takes no id',
  listWebhooks: 'takes no id',
  createWebhook: 'takes no id',
  changeWebhook: (their) => ({ params: { webhookId: their.webhookId }, body: { active: false } }),
  deleteWebhook: (their) => ({ params: { webhookId: their.webhookId } }),
  rotateWebhookSecret: (their) => ({ params: { webhookId: their.webhookId } }),
  testWebhook: (their) => ({ params: { webhookId: their.webhookId } }),
  listWebhookMessages: (their) => ({ params: { webhookId: their.webhookId } }),
  getWebhookMessage: (their) => ({
    params: { webhookId: their.webhookId, messageId: their.messageId },
  }),
  resendWebhookMessage: (their) => ({
    params: { webhookId: their.webhookId, messageId: their.messageId },
  }),
  resendWebhookMessages: (their) => ({
    params: { webhookId: their.webhookId },
    body: { since: '2026-01-01T00:00:00.000Z' },
  }),
  listPresets: 'takes no id',
  createPreset: (their) => ({ body: { ...A_SET, content: { account_ids: [their.accountId] } } }),
  changePreset: (their) => ({ params: { presetId: their.presetId }, body: { version: 1, ...A_SET } }),
  deletePreset: (their) => ({ params: { presetId: their.presetId } }),
  getOverview: 'takes no id',
  listResults: (their) => ({ query: { brandId: their.brandId } }),
  getPostResults: (their) => ({ params: { postId: their.postId } }),
  getResultsWeek: 'takes no id',
  getReport: (their) => ({ params: { brandId: their.brandId, month: '2026-11' } }),
  setReportNote: (their) => ({ params: { brandId: their.brandId, month: '2026-11' }, body: { note: 'x' } }),
  createReportLink: (their) => ({ params: { brandId: their.brandId, month: '2026-11' }, body: { days: 1 } }),
  deleteReportLink: (their) => ({ params: { brandId: their.brandId, month: '2026-11' } }),
  getSharedReport: 'takes no id',
  exportResults: (their) => ({ query: { brandId: their.brandId } }),
  listBlockers: 'takes no id',
  getCalendar: (their) => ({ query: { from: '2026-11-01', days: 42, brandId: their.brandId } }),
  importPosts: 'takes no id',
  exportUser: 'takes no id',
  exportPosts: (their) => ({ query: { brandId: their.brandId } }),
  getFeed: (their) => ({ params: { brandId: their.brandId } }),
  createFeed: (their) => ({ params: { brandId: their.brandId } }),
  deleteFeed: (their) => ({ params: { brandId: their.brandId } }),
  getPost: (their) => ({ params: { postId: their.postId } }),
  // Another user's posts are refused one by one.
  bulkPosts: 'takes no id',
  moveAccount: (their) => ({ params: { accountId: their.accountId }, body: { brand_id: their.brandId } }),
  moveAccountPosts: (their) => ({
    params: { accountId: their.accountId },
    body: { to_account_id: their.accountId, posts: 1 },
  }),
  editPost: (their) => ({ params: { postId: their.postId }, body: { version: 1 } }),
  deletePost: (their) => ({ params: { postId: their.postId } }),
  // A key belongs to its user: the same key of another user is a different one.
  pauseAccount: (their) => ({ params: { accountId: their.accountId }, body: { paused: true } }),
  pauseBrand: (their) => ({ params: { brandId: their.brandId }, body: { paused: true } }),
  pauseSchedule: (their) => ({ params: { scheduleId: their.scheduleId }, body: { paused: true } }),
  retryDelivery: (their) => ({ params: { deliveryId: their.deliveryId } }),
  dismissDelivery: (their) => ({ params: { deliveryId: their.deliveryId } }),
  decideRestored: 'takes no id',
  retryFollowUp: (their) => ({ params: { deliveryId: their.deliveryId, kind: 'first_comment' } }),
  dismissFollowUp: (their) => ({ params: { deliveryId: their.deliveryId, kind: 'first_comment' } }),
  cancelDelivery: (their) => ({ params: { deliveryId: their.deliveryId } }),
  resolveDelivery: (their) => ({ params: { deliveryId: their.deliveryId }, body: { outcome: 'live' } }),
  streamEvents: 'takes no id',
  listNotifications: 'takes no id',
  getUnread: 'takes no id',
  // Another user's id marks nothing; a replaced notification has a new id, which is no mistake of the caller.
  readNotifications: 'takes no id',
  getNotificationSettings: 'takes no id',
  setNotificationSettings: 'takes no id',
  getServer: 'for operators',
  listServerChecks: 'for operators',
  sendTestMail: 'for operators',
  listPlatformSetups: 'for operators',
  setPlatformKeys: 'for operators',
  tryPlatformKeys: 'for operators',
  decideAllRestored: 'for operators',
  listOperatorActs: 'for operators',
  listServerUsers: 'for operators',
  disableUser: 'for operators',
  setUserQuota: 'for operators',
  endUserSessions: 'for operators',
  resetUserPassword: 'for operators',
  deleteServerUser: 'for operators',
  getServerSignUp: 'for operators',
  setServerSignUp: 'for operators',
  createInvitation: 'for operators',
  revokeInvitation: 'for operators',
}

describe("another user's rows", () => {
  for (const [name, endpoint] of endpoints) {
    const naming = NAMING[name]
    if (naming === 'takes no id' || naming === 'for operators') continue
    it(`${name} answers 404 as if it did not exist`, async () => {
      const answer = await ask(endpoint, naming(theirs), eve)
      expect(answer.status).toBe(404)
      expect((await problem(answer)).code).toBe('not_found')
    })
  }

  it('none of them was changed', async () => {
    expect(await ada.call('listBrands')).toMatchObject([{ brand_id: theirs.brandId, title: 'Northwind' }])
    expect(await ada.call('listAccounts')).toMatchObject([{ account_id: theirs.accountId }])
    expect((await ada.call('listPosts')).items).toMatchObject([
      { post_id: theirs.postId, deliveries: [{ status: 'scheduled' }] },
    ])
    expect(await ada.call('listSchedules')).toMatchObject([
      { schedule_id: theirs.scheduleId, version: 1, waiting: 0 },
    ])
    expect((await ada.call('listDrafts')).items).toMatchObject([{ draft_id: theirs.draftId, version: 1 }])
    expect(await ada.call('listPresets')).toMatchObject([
      { preset_id: theirs.presetId, version: 1, name: 'All' },
    ])
    expect(await eve.call('listVideos')).toEqual({ videos: [], next_cursor: null })
  })
})

describe('a call for operators', () => {
  const forOperators = endpoints.filter(([, { auth }]) => auth === 'operator')
  for (const [name, endpoint] of forOperators) {
    it(`${name} is refused to all other users`, async () => {
      const sent = { params: anyParams(endpoint, '1'), ...(endpoint.method !== 'GET' && { body: {} }) }
      const answer = await ask(endpoint, sent, eve)
      expect([answer.status, (await problem(answer)).code]).toEqual([403, 'forbidden'])
    })
  }

  it('is each call at /server', () => {
    const atServer = endpoints.filter(([, { path }]) => path.startsWith('/server'))
    expect(forOperators.length).toBeGreaterThan(0)
    expect(forOperators).toEqual(atServer)
  })
})

const GARBAGE: unknown[] = [
  [],
  'text',
  7,
  null,
  true,
  { a: { b: [null] } },
  { title: 1, brand_id: 'x', text: [] },
  '\u0000',
  {
    title: 'a\u0000b',
    nickname: 'a\u0000b',
    text: 'a\u0000b',
    video_id: 1,
    targets: [{ account_id: 1, options: { 'a\u0000': 1 } }],
  },
]

/** As deep as its size allows: walking it without a limit would exhaust the stack. */
const NESTED = `{"title":"a","nickname":"a","timezone":"UTC","brand_id":1,"code":"a","state":"a","outcome":"live","video_id":1,
  "text":"a","targets":[{"account_id":1,"options":{"a":1}}],"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`

describe('malformed', () => {
  for (const [name, endpoint] of endpoints) {
    if (endpoint.stream) continue
    it(`${name} answers 4xx and says what is wrong`, async () => {
      const answers = [
        ...['abc', '-1', '0', '1.5', '99999999999999999999', '%00', "'"].map((value) =>
          /:(?!platform)\w+/.test(endpoint.path)
            ? ask(endpoint, { params: anyParams(endpoint, value) }, eve)
            : null,
        ),
        ...(endpoint.body && !endpoint.file
          ? GARBAGE.map((body) =>
              fetch(`${testServer.url}/api/v1${pathOf(endpoint, { params: anyParams(endpoint, '1') })}`, {
                method: endpoint.method,
                headers: { authorization: `Bearer ${eve.token}`, 'content-type': 'application/json' },
                body: JSON.stringify(body),
              }),
            )
          : []),
        endpoint.body ? raw(endpoint, 'application/json', '{"a":') : null,
        endpoint.body ? raw(endpoint, 'application/json', NESTED) : null,
        endpoint.body ? raw(endpoint, 'text/plain', 'hello') : null,
        endpoint.file ? raw(endpoint, 'multipart/form-data; boundary=x', 'no form at all') : null,
        endpoint.query
          ? ask(endpoint, { query: { brandId: 'x', limit: 'many', cursor: '\u0000', deleted: 'x' } }, eve)
          : null,
      ].filter((answer) => answer !== null)
      for (const answer of await Promise.all(answers)) {
        expect(answer.status, answer.url).toBeGreaterThanOrEqual(400)
        expect(answer.status, answer.url).toBeLessThan(500)
        const said = await problem(answer)
        expect(PROBLEMS[said.code]).toBe(answer.status)
        expect(said.message).not.toBe('')
      }
    })
  }
})

const raw = (endpoint: Endpoint, type: string, body: string) =>
  fetch(`${testServer.url}/api/v1${pathOf(endpoint, { params: anyParams(endpoint, '1') })}`, {
    method: endpoint.method,
    headers: { authorization: `Bearer ${eve.token}`, 'content-type': type },
    body,
  })

/** Words of zod and names of JavaScript types. */
const RAW_WORDS =
  /invalid input|invalid option|received|expected|too (small|big)|unrecognized|NaN|undefined|>=|<=/i
const WRONG = [null, 1.5, 'x', true, [], [{}], { a: 1 }, 'x'.repeat(5_000)]

/** For each field of a body, one body in which only it is wrong or missing, and some in which all are. */
function wrongBodies(schema: unknown): Record<string, unknown>[] {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const all = WRONG.map((value) => Object.fromEntries(names.map((name) => [name, value])))
  const alone = names.flatMap((name) => WRONG.map((value) => ({ [name]: value })))
  const deeper = { text: 'a', video_id: 1, publish_at: {}, targets: [{}, { account_id: 'x', options: 1 }] }
  return [{}, deeper, ...all, ...alone]
}

/** The fields of a form, beside a valid file. */
function formOf(endpoint: Endpoint, fields: Record<string, unknown>): FormData {
  const data = new FormData()
  data.append(endpoint.file?.field ?? '', new File(['x'], 'a.mp4'))
  for (const [name, value] of Object.entries(fields)) data.append(name, JSON.stringify(value))
  return data
}

describe('a call with missing or wrong fields', () => {
  for (const [name, endpoint] of endpoints) {
    if (!endpoint.body && !endpoint.params && !endpoint.query) continue
    // One test body at a time.
    const params = anyParams(endpoint, '1')
    it(`${name} says in plain words which field is missing or wrong`, async () => {
      const sent: Sent[] = [
        ...(endpoint.body ? wrongBodies(endpoint.body) : []).map((body) =>
          endpoint.file ? { params, body: formOf(endpoint, body) } : { params, body },
        ),
        ...(endpoint.body && endpoint.file === undefined
          ? [[], 'x', 7].map((body) => ({ params, body: body as object }))
          : []),
        ...(endpoint.params
          ? ['x', '0', '1.5'].map((value) => ({ params: anyParams(endpoint, value) }))
          : []),
        ...(endpoint.params?.shape['platform'] ? [{ params: { platform: 'x' }, body: {} }] : []),
        ...(endpoint.query
          ? [{ query: { brandId: 'x', limit: '0', status: 'x', cursor: 'x'.repeat(100) } }]
          : []),
      ]
      for (const one of sent) {
        const answer = await ask(endpoint, one, eve)
        if (answer.status === 204) continue
        if (!answer.headers.get('content-type')?.includes('json')) {
          await answer.body?.cancel()
          continue // a file: it was taken
        }
        const said = ProblemBody.safeParse(await answer.json())
        if (!said.success) continue // it was taken
        for (const [field, messages] of Object.entries(said.data.errors ?? {})) {
          for (const message of messages) {
            expect(message).not.toMatch(RAW_WORDS)
            if (/^(The body|[\w.]+) (is missing|must be|must have|is not what)/.test(message))
              expect(message).toContain(field === 'body' ? 'The body' : field)
          }
        }
        expect(said.data.message).not.toMatch(RAW_WORDS)
      }
    })
  }

  it('createPost names each field that is missing', async () => {
    const answer = await ask(API.createPost, { body: { targets: [{}] } }, eve)
    expect((await problem(answer)).errors).toEqual({
      video_id: ['video_id is missing.'],
      text: ['text is missing.'],
      'targets.0.account_id': ['targets.0.account_id is missing.'],
    })
  })
})

describe('the description of the API', () => {
  it('names every endpoint and every status that it may answer', () => {
    const { paths } = openapi() as { paths: Record<string, Record<string, { responses: object }>> }
    for (const [, endpoint] of endpoints) {
      const operation =
        paths[`/api/v1${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}`]?.[endpoint.method.toLowerCase()]
      const statuses = [endpoint.status, ...endpoint.problems.map((code) => PROBLEMS[code])].map(String)
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses))
    }
  })

  it('is the one in docs/api.json (npm run docs:api writes it anew)', () => {
    const kept: unknown = JSON.parse(readFileSync(new URL('../../docs/api.json', import.meta.url), 'utf8'))
    expect(JSON.parse(JSON.stringify(openapi()))).toEqual(kept)
  })

  it('is served', async () => {
    const answer = await fetch(`${testServer.url}/api/v1/openapi.json`)
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openapi())))
  })
})

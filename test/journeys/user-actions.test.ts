import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import type { AccountId, BrandId } from '#contract/ids.ts'
import type { Post } from '#contract/posts.ts'
import { WaitingPosts } from '#contract/waiting-posts.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import {
  control,
  linkAccount,
  livePosts,
  signUp,
  startTestServer,
  until,
  type TestServer,
  type Person,
} from '../support/test-server.ts'
import { delivered, postTikTok, schedulePost } from '../support/publish.ts'
import { sampleVideo, type Sample } from '../support/sample.ts'
import { startStoppableWorker, type Stop, type StoppableWorker } from '../support/stoppable-worker.ts'

let testServer: TestServer
let worker: StoppableWorker
let ada: Person
beforeAll(async () => {
  testServer = await startTestServer()
  worker = startStoppableWorker(testServer)
  ada = await signUp(testServer)
})
afterAll(async () => {
  await worker.stop()
  await testServer.stop()
})

/** Each post has its own brand, account and creator, so that actions affect nothing else. */
type Scene = {
  readonly creator: string
  readonly brandId: BrandId
  readonly accountId: AccountId
  readonly sample: Sample
  readonly post: Post
}
type Setting = Omit<Scene, 'post'>

async function newSetting(bytes?: number): Promise<Setting> {
  const creator = `c${randomBytes(5).toString('hex')}`
  await control(testServer.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'tiktok',
    username: creator,
  })
  const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } })
  const { account_id: accountId } = await linkAccount(ada, { platform: 'tiktok', brandId, creator })
  return { creator, brandId, accountId, sample: sampleVideo(bytes) }
}

const fault = ({ creator: account }: Setting, trouble: { call: string; fault: string; times?: number }) =>
  control(testServer.practiceUrl, 'POST', '/_control/faults', { platform: 'tiktok', account, ...trouble })
const change = ({ creator: username }: Setting, changed: object) =>
  control(testServer.practiceUrl, 'POST', '/_control/accounts', { platform: 'tiktok', username, ...changed })
const send = ({ accountId, sample }: Setting) => postTikTok(ada, accountId, sample)

type StoppedPost = { readonly post: Post; readonly stop: Stop | null }

/** Sends, and stops the worker the next time it passes a point. */
async function sendUpTo(setting: Setting, point: string, skip = 0): Promise<StoppedPost> {
  const stop = worker.stopAt(point, skip)
  const post = await send(setting)
  await stop.reached
  return { post, stop }
}

async function sendUntil(setting: Setting, status: DeliveryStatus): Promise<StoppedPost> {
  const post = await send(setting)
  await delivered(ada, post, [status])
  return { post, stop: null }
}

async function scheduleFor(setting: Setting): Promise<StoppedPost> {
  const form = new FormData()
  form.append('file', setting.sample.file)
  const answer = await ada.request('/videos', { method: 'POST', body: form })
  const { video_id: videoId } = (await answer.json()) as Post['video']
  const planned = { videoId, text: setting.creator, accountIds: [setting.accountId], inDays: 1 }
  return { post: await schedulePost(ada, planned), stop: null }
}

/** All actions a user may try, offered or not. */
const ACTIONS = {
  cancel: ({ post }: Scene) => ask('POST', `/deliveries/${post.deliveries[0]?.delivery_id}/cancel`),
  retry: ({ post }: Scene) => ask('POST', `/deliveries/${post.deliveries[0]?.delivery_id}/retry`),
  unlink: ({ accountId }: Scene) => askAfterCount(`/accounts/${accountId}`),
  deletePost: ({ post }: Scene) => ask('DELETE', `/posts/${post.post_id}`),
  deleteVideo: ({ post }: Scene) => ask('DELETE', `/videos/${post.video.video_id}`),
  deleteBrand: ({ brandId }: Scene) => askAfterCount(`/brands/${brandId}`),
}
type Action = keyof typeof ACTIONS
const NAMES = Object.keys(ACTIONS) as Action[] // keys of a const object

type Answer = { readonly status: number; readonly code: string; readonly message: string }

/** Deletes like the screen: agrees to cancel the waiting posts, again whenever their number changed. */
async function askAfterCount(address: string): Promise<Answer> {
  for (;;) {
    const response = await ada.request(`${address}/waiting-posts`)
    const count = WaitingPosts.safeParse(await response.json())
    const answer = await ask('DELETE', `${address}?cancel_posts=${count.data?.posts ?? 0}`)
    if (answer.code !== 'posts_waiting') return answer
  }
}

async function ask(method: string, address: string): Promise<Answer> {
  const answer = await ada.request(address, { method })
  if (answer.ok) return { status: answer.status, code: 'done', message: '' }
  const { code, message } = ProblemBody.parse(await answer.json())
  return { status: answer.status, code, message }
}

/** The final state; `deleted`: the lists and the API no longer have the post. */
async function readEnd(post: Post): Promise<DeliveryStatus | 'deleted'> {
  if ((await ada.request(`/posts/${post.post_id}`)).status === 404) return 'deleted'
  return (await delivered(ada, post, ['published', 'failed', 'blocked', 'cancelled', 'scheduled'])).status
}

const countLive = async ({ sample }: Setting): Promise<number> =>
  (await livePosts(testServer)).filter(({ sha256 }) => sha256 === sample.sha256).length

const atRest = ({ post_id }: Post) =>
  until('the worker to let go', async () => {
    const { held } = await testServer.deps.db
      .selectFrom('deliveries')
      .select((eb) => eb.fn.countAll<number>().as('held'))
      .where('post_id', '=', post_id)
      .where('leased_until', 'is not', null)
      .executeTakeFirstOrThrow()
    return held === 0
  })

const readState = async ({ post_id }: Post): Promise<string> =>
  (
    await testServer.deps.db
      .selectFrom('deliveries')
      .select('state')
      .where('post_id', '=', post_id)
      .executeTakeFirstOrThrow()
  ).state

type Row = {
  readonly state: string
  readonly reach: (setting: Setting) => Promise<StoppedPost>
  /** The result and the number of live posts of each accepted action. All other actions are refused. */
  readonly taken: Partial<Record<Action, readonly [end: DeliveryStatus | 'deleted', live: 0 | 1]>>
  /** The result if every action was refused. */
  readonly left: readonly [end: DeliveryStatus, live: 0 | 1]
}

const ONLY_WAIT = { taken: {}, left: ['published', 1] } as const
const STOPPABLE = {
  taken: { cancel: ['cancelled', 0], deletePost: ['deleted', 0] },
  left: ['published', 1],
} as const
const OVER = (end: DeliveryStatus, live: 0 | 1) =>
  ({
    taken: {
      unlink: [end, live],
      deletePost: ['deleted', live],
      deleteVideo: [end, live],
      deleteBrand: [end, live],
    },
    left: [end, live],
  }) as const

const TABLE: readonly Row[] = [
  {
    state: 'that waits for its time',
    reach: scheduleFor,
    taken: {
      cancel: ['cancelled', 0],
      unlink: ['cancelled', 0],
      deletePost: ['deleted', 0],
      deleteBrand: ['cancelled', 0],
    },
    left: ['scheduled', 0],
  },
  {
    state: 'whose upload is opened',
    reach: (setting) => sendUpTo(setting, 'after preparing call'),
    ...STOPPABLE,
  },
  {
    state: 'whose bytes go up',
    reach: (setting) => sendUpTo(setting, 'before preparing call', 1),
    ...STOPPABLE,
  },
  {
    state: 'about to be published',
    reach: (setting) => sendUpTo(setting, 'before save committing'),
    ...STOPPABLE,
  },
  { state: 'at its irreversible call', reach: (setting) => sendUpTo(setting, 'before commit'), ...ONLY_WAIT },
  {
    state: 'whose irreversible call was answered',
    reach: (setting) => sendUpTo(setting, 'after commit'),
    ...ONLY_WAIT,
  },
  {
    state: 'about to be published anew, after a call that had no effect',
    reach: async (setting) => {
      await fault(setting, { call: 'final_chunk', fault: 'drop_before' })
      return sendUpTo(setting, 'before save committing', 1)
    },
    ...ONLY_WAIT,
  },
  { state: 'in processing', reach: (setting) => sendUpTo(setting, 'after save processing'), ...ONLY_WAIT },
  {
    state: 'whose outcome is open',
    reach: async (setting) => {
      await fault(setting, { call: 'final_chunk', fault: 'drop_after' })
      return sendUpTo(setting, 'after save unconfirmed')
    },
    ...ONLY_WAIT,
  },
  {
    state: 'held for its account',
    reach: async (setting) => {
      await fault(setting, { call: 'creator_info', fault: 'token_expired', times: 2 })
      return sendUntil(setting, 'blocked')
    },
    taken: {
      cancel: ['cancelled', 0],
      unlink: ['cancelled', 0],
      deletePost: ['deleted', 0],
      deleteBrand: ['cancelled', 0],
    },
    left: ['blocked', 0],
  },
  {
    state: 'held for a daily limit',
    reach: async (setting) => {
      await change(setting, { daily_limit: 0 })
      const reached = await sendUntil(setting, 'blocked')
      await change(setting, { daily_limit: null })
      return reached
    },
    taken: {
      cancel: ['cancelled', 0],
      retry: ['published', 1],
      unlink: ['cancelled', 0],
      deletePost: ['deleted', 0],
      deleteBrand: ['cancelled', 0],
    },
    left: ['blocked', 0],
  },
  {
    state: 'that failed',
    reach: async (setting) => {
      await change(setting, { banned: true })
      const reached = await sendUntil(setting, 'failed')
      await change(setting, { banned: false })
      return reached
    },
    taken: { ...OVER('failed', 0).taken, retry: ['published', 1] },
    left: ['failed', 0],
  },
  { state: 'that is live', reach: (setting) => sendUntil(setting, 'published'), ...OVER('published', 1) },
  {
    state: 'that was cancelled',
    reach: async (setting) => {
      const reached = await scheduleFor(setting)
      await ACTIONS.cancel({ ...setting, post: reached.post })
      return reached
    },
    ...OVER('cancelled', 0),
  },
]

const listKeys = (taken: Row['taken']): Action[] => NAMES.filter((action) => taken[action] !== undefined)

for (const row of TABLE)
  describe(`a post ${row.state}`, () => {
    const refused = NAMES.filter((action) => row.taken[action] === undefined)
    if (refused.length > 0)
      it(`refuses to ${refused.join(', ')}, and comes to what it would have come to`, async () => {
        const setting = await newSetting()
        const { post, stop } = await row.reach(setting)
        for (const action of refused) {
          const { status, message } = await ACTIONS[action]({ ...setting, post })
          expect([action, status]).toEqual([action, 409])
          expect(message).toMatch(/^[A-Z@].*\.$/)
        }
        stop?.letGo()
        expect([await readEnd(post), await countLive(setting)]).toEqual(row.left)
      })

    for (const action of listKeys(row.taken))
      it(`takes ${action}, which does what it says`, async () => {
        const setting = await newSetting()
        const { post, stop } = await row.reach(setting)
        expect(await ACTIONS[action]({ ...setting, post })).toMatchObject({ code: 'done' })
        stop?.letGo()
        await atRest(post)
        // It waits for a worker, and for its order.
        if (action === 'retry') await delivered(ada, post, ['published', 'failed', 'blocked'])
        expect([await readEnd(post), await countLive(setting)]).toEqual(row.taken[action])
      })
  })

describe('actions at the same moment', () => {
  it('a retry pressed twice starts once', async () => {
    const setting = await newSetting()
    await change(setting, { banned: true })
    const { post } = await sendUntil(setting, 'failed')
    await change(setting, { banned: false })
    const scene = { ...setting, post }
    const answers = await Promise.all([ACTIONS.retry(scene), ACTIONS.retry(scene), ACTIONS.retry(scene)])
    expect(answers.map(({ code }) => code).toSorted()).toEqual(['conflict', 'conflict', 'done'])
    expect(await delivered(ada, post, ['published'])).toMatchObject({ attempt: 2 })
    expect(await countLive(setting)).toBe(1)
  })

  it('of two deletions one answers 404', async () => {
    const setting = await newSetting()
    const scene = { ...setting, ...(await scheduleFor(setting)) }
    const answers = await Promise.all([ACTIONS.deletePost(scene), ACTIONS.deletePost(scene)])
    expect(answers.map(({ code }) => code).toSorted()).toEqual(['done', 'not_found'])
  })

  // In either order, no post waits for a deleted account, and none goes out after its deletion.
  for (const [remove, end] of [
    ['unlink', 'failed'],
    ['deletePost', 'deleted'],
    ['deleteVideo', 'failed'],
    ['deleteBrand', 'failed'],
  ] as const)
    it(`of retry and ${remove} one is refused, or the deletion cancels what was begun`, async () => {
      for (let round = 0; round < 4; round++) {
        const setting = await newSetting()
        await change(setting, { banned: true })
        const { post } = await sendUntil(setting, 'failed')
        await change(setting, { banned: false })
        const scene = { ...setting, post }
        const removeIt = async () => ({ ...(await ACTIONS[remove](scene)), live: await countLive(setting) })
        const retryIt = () => ACTIONS.retry(scene)
        const [retried, removed] =
          round % 2 === 0
            ? await Promise.all([retryIt(), removeIt()])
            : (([second, first]) => [first, second] as const)(await Promise.all([removeIt(), retryIt()]))
        await atRest(post)
        if (removed.code === 'done') {
          // Never begun, cancelled before a worker had it, or live before it was deleted.
          const wasRetried = removed.live === 1 ? 'published' : 'cancelled'
          expect(await readEnd(post)).toBe(retried.code === 'done' && end === 'failed' ? wasRetried : end)
          expect(await countLive(setting)).toBe(removed.live)
        } else {
          await delivered(ada, post, ['published', 'failed', 'blocked'])
          expect([retried.code, await readEnd(post), await countLive(setting)]).toEqual([
            'done',
            'published',
            1,
          ])
        }
      }
    })

  it('a cancel or deletion at any moment prevents the post, or is refused and it is live once', async () => {
    const rounds = Array.from({ length: 16 }, async (_, round) => {
      const setting = await newSetting()
      const post = await send(setting)
      await new Promise((resolve) => setTimeout(resolve, round * 20))
      const action = round % 2 === 0 ? 'cancel' : 'deletePost'
      const { code } = await ACTIONS[action]({ ...setting, post })
      await atRest(post)
      const end = await readEnd(post)
      const live = await countLive(setting)
      if (code !== 'done') expect([action, end, live]).toEqual([action, 'published', 1])
      else if (action === 'cancel') expect([end, live]).toEqual(['cancelled', 0])
      // A post that was live when it was deleted stays live.
      else expect([end, live]).toEqual(['deleted', (await readState(post)) === 'published' ? 1 : 0])
    })
    await Promise.all(rounds)
  })

  it('a refused deletion of a post to two accounts leaves both deliveries as they are', async () => {
    const [near, far] = [await newSetting(), await newSetting()]
    const form = new FormData()
    form.append('file', near.sample.file)
    const uploaded = await ada.request('/videos', { method: 'POST', body: form })
    const { video_id } = (await uploaded.json()) as Post['video']
    await change(far, { daily_limit: 0 })
    const stop = worker.stopAt('before commit')
    const post = await ada.call('createPost', {
      body: {
        video_id,
        text: 'Both',
        targets: [near, far].map(({ accountId: account_id }) => ({
          account_id,
          options: { privacy_level: 'SELF_ONLY' },
        })),
      },
    })
    const states = async () =>
      (await ada.call('getPost', { params: { postId: post.post_id } })).deliveries.map(({ status }) => status)
    await stop.reached
    await until('the other to be held', async () => (await states()).includes('blocked'))
    expect((await ask('DELETE', `/posts/${post.post_id}`)).code).toBe('in_flight')
    stop.letGo()
    await until('both to have an outcome', async () =>
      (await states()).every((status) => status === 'published' || status === 'blocked'),
    )
    expect((await states()).toSorted()).toEqual(['blocked', 'published'])
  })
})

it('a post deleted during its upload never becomes live', async () => {
  const setting = await newSetting(70_000_000)
  const { post, stop } = await sendUpTo(setting, 'before save preparing', 4)
  expect((await ACTIONS.deletePost({ ...setting, post })).status).toBe(204)
  // The worker's file is deleted too.
  expect((await ACTIONS.deleteVideo({ ...setting, post })).status).toBe(204)
  stop?.letGo()
  await atRest(post)
  expect(await control(testServer.practiceUrl, 'GET', '/_control/pending')).toEqual([])
  expect(await countLive(setting)).toBe(0)
})

it('an unconfirmed post of an erased account can be resolved and deleted', async () => {
  const setting = await newSetting()
  await fault(setting, { call: 'final_chunk', fault: 'drop_after' })
  await fault(setting, { call: 'status', fault: 'html_502', times: 1000 })
  const { post } = await sendUntil(setting, 'unconfirmed')
  // Simulates a platform's deletion request: not by the user, and regardless of posts in progress.
  await testServer.deps.db
    .updateTable('accounts')
    .set({ unlinked_at: new Date(), tokens: null, refresh_due_at: null })
    .where('account_id', '=', setting.accountId)
    .execute()
  expect(await ask('DELETE', `/posts/${post.post_id}`)).toMatchObject({ code: 'in_flight' })
  const resolved = await ada.call('resolveDelivery', {
    params: { deliveryId: post.deliveries[0]?.delivery_id ?? 0 },
    body: { outcome: 'not_live' },
  })
  expect(resolved.actions).toContain('cancel')
  expect(await ask('DELETE', `/posts/${post.post_id}`)).toMatchObject({ code: 'done' })
  await atRest(post)
  // The platform publishes what it received before, and nothing else.
  await until('it to be live', async () => (await countLive(setting)) > 0)
  expect(await control(testServer.practiceUrl, 'GET', '/_control/pending')).toEqual([])
  expect(await countLive(setting)).toBe(1)
})

describe('a failed post whose account was unlinked', () => {
  it('goes out when it is retried after the account was linked again in its brand', async () => {
    const scene = await failedAndUnlinked()
    const { brandId, creator, post } = scene
    const again = await linkAccount(ada, { platform: 'tiktok', brandId, creator })
    expect(again.account_id).toBe(scene.accountId)
    expect((await ACTIONS.retry(scene)).status).toBe(200)
    await delivered(ada, post, ['published'])
    expect(await countLive(scene)).toBe(1)
  })

  it('stays failed with the reason when another brand has the account now', async () => {
    const scene = await failedAndUnlinked()
    const { brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Harbour' } })
    const other = await linkAccount(ada, { platform: 'tiktok', brandId, creator: scene.creator })
    expect(other.account_id).not.toBe(scene.accountId)
    expect((await ACTIONS.retry(scene)).status).toBe(409)
    expect((await delivered(ada, scene.post, ['failed'])).actions).toEqual(['dismiss'])
    expect(await countLive(scene)).toBe(0)
  })
})

async function failedAndUnlinked(): Promise<Scene> {
  const setting = await newSetting()
  await change(setting, { banned: true })
  const { post } = await sendUntil(setting, 'failed')
  await change(setting, { banned: false })
  const scene = { ...setting, post }
  expect((await ACTIONS.unlink(scene)).status).toBe(204)
  const refused = await ACTIONS.retry(scene)
  expect(refused).toMatchObject({ status: 409, code: 'conflict' })
  expect(refused.message).toMatch(/^@\w+ is no longer linked\. Link it again/)
  return scene
}

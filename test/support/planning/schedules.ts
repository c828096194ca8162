import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { AccountId, BrandId, PostId, ScheduleId, VideoId } from '#contract/ids.ts'
import { ProblemBody } from '#contract/http/problem.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import type { SchedulePlace } from '#contract/posts.ts'
import { instantOf } from '#domain/schedule/schedule.ts'
import { uploadVideo } from '../publish.ts'
import { linkAccount, type Person, signUp, startTestServer, type TestServer } from '../test-server.ts'

/** A Monday, eleven days before the clocks of Lisbon go forward. */
export const NOW = Date.parse('2027-03-15T10:00:00Z')
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

let testServer: TestServer
let ada: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId
let videoId: VideoId

/** A server at `NOW` with one user; in each test its two accounts belong to a brand of their own. */
export const scene = {
  get testServer() {
    return testServer
  },
  get ada() {
    return ada
  },
  get brandId() {
    return brandId
  },
  get tiktok() {
    return tiktok
  },
  get instagram() {
    return instagram
  },
}

export function startScene(): void {
  beforeAll(async () => {
    testServer = await startTestServer({ now: () => NOW })
    ada = await signUp(testServer)
    const { brand_id } = await ada.call('createBrand', { body: { title: 'Accounts' } })
    tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId: brand_id })).account_id
    instagram = (await linkAccount(ada, { platform: 'instagram', brandId: brand_id })).account_id
    videoId = (await uploadVideo(ada)).video_id
  })
  afterAll(() => testServer.stop())
  beforeEach(async () => {
    // A time at which an account has a post is not given to another one.
    await testServer.deps.db.deleteFrom('posts').execute()
    brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
    for (const accountId of [tiktok, instagram])
      await ada.call('moveAccount', { params: { accountId }, body: { brand_id: brandId } })
  })
}

export const listSchedules = async () =>
  (await ada.call('listSchedules')).filter(({ brand_id }) => brand_id === brandId)
export const getBrand = async () =>
  (await ada.call('listBrands')).find(({ brand_id }) => brand_id === brandId)

/** `Mon 18:00, Tue 09:00 tiktok` */
export const slots = (week: string) =>
  week.split(', ').map((slot) => {
    const [day = '', time = '', platform] = slot.split(' ')
    return {
      weekday: DAYS.indexOf(day) + 1,
      time,
      platforms: platform === undefined ? null : [PlatformId.parse(platform)],
    }
  })

export const createSchedule = (week: string, its: { name?: string; jitter_minutes?: number } = {}) =>
  ada.call('createSchedule', { body: { brand_id: brandId, name: 'Evenings', slots: slots(week), ...its } })

export type Place = 'next' | 'top' | 'bottom'

export const body = (
  scheduleId: ScheduleId,
  place: Place | SchedulePlace,
  accounts: readonly AccountId[],
) => ({
  video_id: videoId,
  text: 'Hello',
  targets: accounts.map((account_id) => ({ account_id, options: {} })),
  schedule: typeof place === 'string' ? { schedule_id: scheduleId, place } : place,
})

/** A slot of March 2027, as `16 18:00`. */
export const slotAt = (
  { schedule_id }: Schedule,
  day: string,
  timezone = 'Europe/Lisbon',
): SchedulePlace => ({
  schedule_id,
  place: 'slot',
  slot: { local: `2027-03-${day.replace(' ', 'T')}`, timezone },
})

export const post = async (
  { schedule_id }: Schedule,
  place: Place | SchedulePlace = 'next',
  accounts: readonly AccountId[] = [tiktok],
): Promise<PostId> => (await ada.call('createPost', { body: body(schedule_id, place, accounts) })).post_id

/** The publishing time as `15 18:00` of the month, in the post's zone. */
export async function timeOf(postId: PostId): Promise<string> {
  const row = await testServer.deps.db
    .selectFrom('posts')
    .innerJoin('deliveries', 'deliveries.post_id', 'posts.post_id')
    .select(['publish_at', 'publish_local', 'timezone', 'wake_at', 'goes_out_at'])
    .where('posts.post_id', '=', postId)
    .executeTakeFirstOrThrow()
  const at = instantOf(row.publish_local ?? '', row.timezone ?? '')
  expect([row.publish_at, row.wake_at, row.goes_out_at].map(Number)).toEqual([at, at, at])
  return (row.publish_local ?? '').slice(8).replace('T', ' ')
}
export const timesOf = (...postIds: PostId[]) => Promise.all(postIds.map(timeOf))

export const send = (address: string, method: string, content: object) =>
  ada.request(address, {
    method,
    body: JSON.stringify(content),
    headers: { 'content-type': 'application/json' },
  })

export async function refused(answer: Response) {
  const { code, message, errors } = ProblemBody.parse(await answer.json())
  return [answer.status, code, errors ?? message]
}

export const move = async (postId: PostId, { schedule_id }: Schedule, place: Place | SchedulePlace) => {
  const { version } = await ada.call('getPost', { params: { postId } })
  const schedule = typeof place === 'string' ? { schedule_id, place } : place
  return send(`/posts/${postId}`, 'PATCH', { version, schedule })
}

export const change = (schedule: Schedule, week: string, its: object = {}) => {
  const content = {
    version: schedule.version,
    name: schedule.name,
    slots: slots(week),
    jitter_minutes: 0,
    ...its,
  }
  return {
    preview: () =>
      ada.call('previewSchedule', { params: { scheduleId: schedule.schedule_id }, body: content }),
    save: (moves: number) => send(`/schedules/${schedule.schedule_id}`, 'PUT', { ...content, moves }),
  }
}

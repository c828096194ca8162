import { afterAll, beforeAll, expect, it } from 'vitest'
import { schedulePost, uploadVideo } from '#test/support/publish.ts'
import { linkAccount, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

async function owner() {
  const person = await signUp(testServer)
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind' } })
  const tiktok = await linkAccount(person, { platform: 'tiktok', brandId })
  const instagram = await linkAccount(person, { platform: 'instagram', brandId })
  const { video_id: videoId } = await uploadVideo(person)
  const plan = (accountIds = [tiktok.account_id, instagram.account_id]) =>
    schedulePost(person, { videoId, text: 'Planned', accountIds, inDays: 3 })
  const look = () => person.call('listBlockers')
  return { person, brandId, tiktok, instagram, plan, look }
}

it('an account to link again is named to its user alone, with the posts that wait for it', async () => {
  const { person, tiktok, plan, look } = await owner()
  const stranger = await owner()
  const relink = async () =>
    testServer.deps.db
      .updateTable('accounts')
      .set({ relink_reason: 'The access has ended.' })
      .where('account_id', '=', tiktok.account_id)
      .execute()
  await plan()
  await plan()
  expect(await look()).toEqual([])
  await relink()
  const health = { status: 'relink', reason: 'The access has ended.' }
  expect(await look()).toMatchObject([{ kind: 'link_again', account: { health }, posts: 2 }])
  expect(await stranger.look()).toEqual([])
  expect((await person.call('getUnread')).accounts_to_link).toBe(1)
  expect((await stranger.person.call('getUnread')).accounts_to_link).toBe(0)
})

it('what is paused is named while posts wait for it, each post once', async () => {
  const { person, brandId, instagram, plan, look } = await owner()
  await person.call('pauseBrand', { params: { brandId }, body: { paused: true } })
  expect(await look()).toEqual([])
  await plan()
  const params = { accountId: instagram.account_id }
  const until = inDays(30)
  await person.call('pauseAccount', { params, body: { paused: true, until } })
  expect(await look()).toMatchObject([
    { kind: 'paused_brand', brand_id: brandId, name: 'Northwind', paused_until: null, posts: 1 },
    { kind: 'paused_account', account: { paused_until: until }, posts: 1 },
  ])
  // Both end before the post goes out.
  const soon = { paused: true, until: inDays(0.04) }
  await person.call('pauseBrand', { params: { brandId }, body: soon })
  await person.call('pauseAccount', { params, body: soon })
  expect(await look()).toEqual([])
})

it('a paused posting schedule is named while posts wait for it', async () => {
  const { person, brandId, plan, look } = await owner()
  const { schedule_id } = await person.call('createSchedule', {
    body: { brand_id: brandId, name: 'Evenings', slots: [{ weekday: 1, time: '19:00', platforms: null }] },
  })
  await person.call('pauseSchedule', { params: { scheduleId: schedule_id }, body: { paused: true } })
  const { post_id, version } = await plan()
  await person.call('editPost', {
    params: { postId: post_id },
    body: { version, schedule: { schedule_id, place: 'next' } },
  })
  expect(await look()).toEqual([
    { kind: 'paused_schedule', schedule_id, name: 'Evenings', paused_until: null, posts: 1 },
  ])
  const { goes_out_at } = await person.call('getPost', { params: { postId: post_id } })
  const daysLeft = (Date.parse(goes_out_at) - Date.now()) / 86_400_000
  const body = { paused: true, until: inDays(daysLeft / 2) }
  await person.call('pauseSchedule', { params: { scheduleId: schedule_id }, body })
  expect(await look()).toEqual([])
})

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

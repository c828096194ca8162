import { TEXTS } from '#contract/texts.ts'
import { control, livePosts, type Person } from '../harness.ts'
import { delivered, postTikTok } from '../publish.ts'
import { sampleVideo } from '../sample.ts'
import { expect, go, linkedBrand, logIn, test, type Page, type Reelay } from './fixtures.ts'

/** The queue of somebody with one TikTok account. */
async function atQueue(page: Page, reelay: Reelay, person: Person) {
  const linked = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email)
  await go(page, 'Queue')
  const fault = (call: string, kind: string, times = 1) =>
    control(reelay.practiceUrl, 'POST', '/_control/faults', {
      platform: 'tiktok',
      call,
      fault: kind,
      account: linked.creator,
      times,
    })
  return { ...linked, fault }
}

test('an empty queue says so and leads to the upload', async ({ page, person }) => {
  await logIn(page, person.email)
  await go(page, 'Queue')
  await expect(page.getByText('Nothing has been posted from here yet.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to upload' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Upload' })).toBeVisible()
})

test('a post appears, moves and is read out while the queue is open', async ({ page, person, reelay }) => {
  const { accountId, creator } = await atQueue(page, reelay, person)
  await postTikTok(person, accountId, sampleVideo(), 'Rye starter, day one to seven')
  const post = page.getByRole('listitem', { name: 'Rye starter, day one to seven' })
  await expect(post.getByText('Published')).toBeVisible()
  await expect(post.getByRole('link', { name: 'Open on TikTok' })).toBeVisible()
  await expect(page.getByRole('status', { name: 'News' })).toContainText(`TikTok @${creator}: Published.`)
  await expect(page.getByRole('button', { name: 'Published 1' })).toBeVisible()

  await post.getByRole('button', { name: /^More about/ }).click()
  await page.getByRole('menuitem', { name: 'Show the timeline' }).click()
  await expect(post.getByRole('heading', { name: 'Timeline' })).toBeFocused()
  await expect(post.getByText('Publishing.')).toBeVisible()
})

test('a lost answer is said to be open, and the user can say that the post is there', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator, fault } = await atQueue(page, reelay, person)
  await fault('final_chunk', 'drop_after')
  await fault('status', 'html_502', 1000)
  const made = await postTikTok(person, accountId, sampleVideo(), 'Opening day')
  await delivered(person, made, ['unconfirmed'])

  const post = page.getByRole('listitem', { name: 'Opening day' })
  await expect(post.getByText('Unconfirmed')).toBeVisible()
  await expect(post).toContainText('The post may be live.')
  await expect(post).toContainText('it is not sent twice')
  await page.getByRole('button', { name: 'Needs attention 1' }).click()
  await post.getByRole('button', { name: `It is there: @${creator}` }).click()
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
  await page.getByRole('button', { name: /^Published/ }).click()
  await expect(post.getByText('Published')).toBeVisible()
  expect((await livePosts(reelay)).filter(({ account }) => account === creator)).toHaveLength(1)
})

test('the focus stays with the post whose trouble was settled', async ({ page, person, reelay }) => {
  const { accountId, creator, fault } = await atQueue(page, reelay, person)
  await fault('final_chunk', 'drop_after')
  await fault('status', 'html_502', 1000)
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Opening day'), ['unconfirmed'])
  await page.getByRole('button', { name: `It is there: @${creator}` }).press('Enter')
  await expect(page.getByRole('button', { name: 'More about Opening day' })).toBeFocused()
})

test('while the connection is down the queue says so, and then catches up', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  await logIn(page, person.email)
  await page.route('**/api/v1/events', (route) => route.abort('connectionreset'))
  await go(page, 'Queue')
  await expect(page.getByText('Reconnecting …')).toBeVisible()
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Meanwhile'), ['published'])
  await page.unroute('**/api/v1/events')
  await expect(page.getByText('Reconnecting …')).toBeHidden()
  await expect(page.getByRole('listitem', { name: 'Meanwhile' }).getByText('Published')).toBeVisible()
})

test('a queue that cannot be read says so, and can be asked again', async ({ page, person }) => {
  await logIn(page, person.email)
  // Otherwise the page would ask again by itself, as soon as it is told of changes.
  await page.route('**/api/v1/events', (route) => route.abort())
  const broken = { message: TEXTS.unknownError, code: 'internal' }
  await page.route('**/api/v1/posts?**', (route) => route.fulfill({ status: 500, json: broken }))
  await page.goto('/dashboard/queue?status=failed')
  await expect(page.getByRole('alert')).toContainText(TEXTS.unknownError)
  await page.unroute('**/api/v1/posts?**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nothing has failed.')).toBeVisible()
})

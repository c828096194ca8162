import type { AccountId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { livePosts, type Person } from '../support/harness.ts'
import { delivered, postTikTok, schedulePost, uploadVideo } from '../support/publish.ts'
import { sampleVideo } from '../support/sample.ts'
import {
  chosen,
  expect,
  go,
  hold,
  linkedBrand,
  logIn,
  misbehave,
  test,
  type Page,
  type Reelay,
} from './fixtures.ts'

/** The queue of somebody with one TikTok account. `unconfirmed`: the text of a post there of which TikTok tells nothing. */
async function atQueue(
  page: Page,
  reelay: Reelay,
  person: Person,
  { unconfirmed }: { unconfirmed?: string } = {},
) {
  const linked = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email)
  await go(page, 'Queue')
  if (unconfirmed !== undefined) {
    const ofTikTok = { platform: 'tiktok', account: linked.creator } as const
    await misbehave(reelay, { ...ofTikTok, call: 'final_chunk', fault: 'drop_after' })
    await misbehave(reelay, { ...ofTikTok, call: 'status', fault: 'html_502', times: 1000 })
    const made = await postTikTok(person, linked.accountId, sampleVideo(), unconfirmed)
    await delivered(person, made, ['unconfirmed'])
  }
  return linked
}

async function schedule(person: Person, accountId: AccountId, text: string): Promise<void> {
  const { video_id: videoId } = await uploadVideo(person)
  await schedulePost(person, { videoId, text, accountIds: [accountId], inDays: 1 })
}

test('an empty queue says so and leads to the upload', async ({ page, person }) => {
  await logIn(page, person.email)
  await go(page, 'Queue')
  await expect(page.getByText('Nothing has been posted from here yet.')).toBeVisible()
  await page.getByRole('link', { name: 'Go to upload' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Upload' })).toBeVisible()
})

test('a post appears, moves and is read out while the queue is open, and leads to where it is live', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await atQueue(page, reelay, person)
  await postTikTok(person, accountId, sampleVideo(), 'Rye starter, day one to seven')
  const post = page.getByRole('listitem', { name: 'Rye starter, day one to seven' })
  await expect(post.getByText('Published')).toBeVisible()
  await expect(post.getByRole('link', { name: 'Open on TikTok' })).toBeVisible()
  await expect(page.getByRole('status', { name: 'News' })).toHaveText(`TikTok @${creator}: Published.`)
})

test('the queue shows each post under its day: video, brand, time, accounts and outcomes', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await linkedBrand(reelay, person, {
    title: 'Northwind Bakery',
    platform: 'tiktok',
  })
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Opening day'), ['published'])
  await schedule(person, accountId, 'Advent calendar')
  await logIn(page, person.email)

  await test.step('while the posts are on their way it shows their shape, and says so', async () => {
    const letGo = await hold(page, '**/api/v1/posts?**')
    await page.goto('/dashboard/queue')
    await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toBeAttached()
    await expect(page.getByRole('button', { name: 'Needs attention' })).toBeVisible()
    letGo()
  })

  await test.step('what is to come first, then what was, each under its days', async () => {
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Upcoming', 'Done'])
    await expect(page.getByRole('heading', { level: 3 })).toHaveText(['Tomorrow', 'Today'])
    const today = page.getByRole('region', { name: 'Today' }).getByRole('listitem')
    await expect(today.filter({ hasText: 'Opening day' })).toContainText(/0:04.*Northwind Bakery · \d\d:\d\d/)
    await expect(today.filter({ hasText: 'Opening day' })).toContainText(`@${creator}Published`)
    const tomorrow = page.getByRole('region', { name: 'Tomorrow' }).getByRole('listitem')
    await expect(tomorrow.filter({ hasText: 'Advent calendar' })).toContainText(
      /Northwind Bakery · 08:00.*Scheduled ?in 1?\d? ?d?/,
    )
  })

  await test.step('its filters count what is not over, are kept in the address, and lead back from nothing', async () => {
    const filters = page.getByRole('group', { name: 'Show' }).getByRole('button')
    const words = ['All', 'Needs attention', 'Scheduled 1', 'Publishing', 'Published', 'Failed']
    await expect(filters).toHaveText(words)
    await filters.filter({ hasText: 'Scheduled' }).click()
    await expect(page).toHaveURL('/dashboard/queue?status=scheduled')
    await expect(page.getByRole('listitem', { name: 'Opening day' })).toBeHidden()
    await expect(page.getByRole('listitem', { name: 'Advent calendar' })).toBeVisible()
    await filters.filter({ hasText: 'Failed' }).click()
    await expect(page.getByText('Nothing has failed.')).toBeVisible()
    await page.getByRole('button', { name: 'Show all posts' }).click()
    await expect(page).toHaveURL('/dashboard/queue')
  })

  await test.step('on a phone posts are cards, and the primary action stays at the bottom', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('heading', { name: 'Tomorrow' }).scrollIntoViewIfNeeded()
    const box = await page.getByRole('link', { name: 'New post' }).boundingBox()
    expect([box?.width, (box?.y ?? 0) > 760]).toEqual([358, true])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.getByRole('button', { name: 'More about Advent calendar' }).click()
    await expect(page.getByRole('menuitem', { name: 'Cancel this post' })).toBeVisible()
  })
})

test('everything in the queue can be done with the keyboard, and Escape keeps a post that was about to be cancelled', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  await schedule(person, accountId, 'Advent calendar')
  await logIn(page, person.email)
  await go(page, 'Queue')
  const post = page.getByRole('listitem', { name: 'Advent calendar' })
  const more = post.getByRole('button', { name: 'More about Advent calendar' })

  await expect(more).toBeVisible()
  await page.getByRole('link', { name: 'New post' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'All' })).toBeFocused()
  for (let filter = 0; filter < 6; filter++) await page.keyboard.press('Tab')
  await expect(more).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Show the timeline' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(post.getByRole('heading', { name: 'Timeline' })).toBeFocused()
  await expect(post.getByText('Waiting for its time.')).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(more).toBeFocused()

  const askToCancel = async () => {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem', { name: 'Show the timeline' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(post.getByRole('button', { name: 'Keep' })).toBeFocused()
  }
  await askToCancel()
  await expect(post.getByText('Cancel this post?')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(post.getByText('Cancel this post?')).toBeHidden()
  await expect(more).toBeFocused()
  await askToCancel()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(post.getByText('Cancelled')).toBeVisible()
  // It goes from what is to come to what is past, and takes the focus along.
  await expect(page.getByRole('region', { name: 'Done', exact: true }).getByText('Cancelled')).toBeVisible()
  await expect.poll(() => post.evaluate((row) => row.contains(document.activeElement))).toBe(true)
})

test('a post is deleted from the row menu: asked in place, with what it means, by keyboard and on a phone', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'tiktok' })
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Opening day'), ['published'])
  await schedule(person, accountId, 'Advent calendar')
  await logIn(page, person.email)
  await go(page, 'Queue')
  const [live, waiting] = [
    page.getByRole('listitem', { name: 'Opening day' }),
    page.getByRole('listitem', { name: 'Advent calendar' }),
  ]
  const question = page.getByRole('group', { name: /^Delete this post\?/ })

  const askByKeyboard = async () => {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem', { name: 'Show the timeline' })).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('menuitem', { name: 'Delete this post' })).toBeFocused()
    await page.keyboard.press('Enter')
  }
  await live.getByRole('button', { name: 'More about Opening day' }).focus()
  await askByKeyboard()
  await expect(question).toContainText('What is live on TikTok stays there: only Reelay forgets it.')
  await expect(question.getByRole('button', { name: 'Keep' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(live.getByRole('button', { name: 'More about Opening day' })).toBeFocused()
  await askByKeyboard()
  await expect(question.getByRole('button', { name: 'Keep' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(live).toBeHidden()
  await expect(waiting).toBeFocused()
  expect((await livePosts(reelay)).filter(({ account }) => account === creator)).toHaveLength(1)

  await page.setViewportSize({ width: 390, height: 844 })
  await waiting.getByRole('button', { name: 'More about Advent calendar' }).click()
  await page.getByRole('menuitem', { name: 'Delete this post' }).click()
  await expect(question).toContainText('It does not go out then. It cannot be brought back here.')
  await question.getByRole('button', { name: 'Delete post' }).click()
  await expect(page.getByText('Nothing has been posted from here yet.')).toBeVisible()
  expect((await person.call('listPosts')).counts).toMatchObject({ all: 0, scheduled: 0 })
})

test('a post whose outcome is open is not deleted, and the queue says why', async ({
  page,
  person,
  reelay,
}) => {
  await atQueue(page, reelay, person, { unconfirmed: 'Opening day' })
  const post = page.getByRole('listitem', { name: 'Opening day' })
  await post.getByRole('button', { name: 'More about Opening day' }).click()
  await page.getByRole('menuitem', { name: 'Delete this post' }).click()
  await post.getByRole('button', { name: 'Delete post' }).click()
  await expect(post.getByRole('alert')).toContainText(
    'This post may be live, and that is still being found out.',
  )
  await post.getByRole('button', { name: 'Keep' }).click()
  await expect(post.getByText('Unconfirmed')).toBeVisible()
})

test('a post made in one tab appears in the queue of the other, live', async ({ page, person, reelay }) => {
  await atQueue(page, reelay, person)
  const other = await page.context().newPage()
  await other.goto('/dashboard/upload')
  const form = other.getByRole('region', { name: 'TikTok video' })
  await form.getByLabel('Video file').setInputFiles(await chosen(sampleVideo().file))
  await form.getByLabel('Title').fill('From the other tab')
  await form.getByRole('button', { name: /^Publish to/ }).click()
  await expect(form.getByText(TEXTS.uploadInitialized)).toBeVisible()
  const post = page.getByRole('listitem', { name: 'From the other tab' })
  await expect(post.getByText('Published')).toBeVisible()
  await other.close()
})

test('a lost answer is said to be open, the user can say that the post is there, and the focus stays with it', async ({
  page,
  person,
  reelay,
}) => {
  const { creator } = await atQueue(page, reelay, person, { unconfirmed: 'Opening day' })

  const post = page.getByRole('listitem', { name: 'Opening day' })
  await expect(post.getByText('Unconfirmed')).toBeVisible()
  await expect(post).toContainText('The post may be live, and it is not sent twice.')
  await expect(page.getByRole('button', { name: 'Needs attention 1' })).toBeVisible()
  await expect(post).toContainText(/It was sent .* TikTok was asked .*It is asked again/)

  // What either word leads to is said before it counts, and Escape takes it back.
  const sendAgain = post.getByRole('button', { name: `It is not there: send again: @${creator}` })
  await sendAgain.press('Enter')
  await expect(post.getByRole('group')).toContainText('If it is there after all, it will be there twice.')
  await expect(post.getByRole('button', { name: 'Keep asking' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(sendAgain).toBeFocused()
  await post.getByRole('button', { name: `It is there: @${creator}` }).press('Enter')
  await expect(post.getByRole('group')).toContainText('TikTok is not asked any more')
  await post.getByRole('group').getByRole('button', { name: 'It is there' }).click()
  await expect(post.getByText('Published')).toBeVisible()
  await expect(post.getByRole('button', { name: 'More about Opening day' })).toBeFocused()
  await page.getByRole('button', { name: 'Needs attention' }).click()
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
  expect((await livePosts(reelay)).filter(({ account }) => account === creator)).toHaveLength(1)
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

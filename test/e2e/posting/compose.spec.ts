import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { linkAccount, livePosts } from '../../support/test-server.ts'
import { sampleVideo } from '../../support/sample.ts'
import { chosen, expect, logIn, newCreator, test, type Page } from '../support/fixtures.ts'

const ACCOUNTS = ['tiktok', 'instagram', 'tiktok', 'instagram', 'tiktok', 'instagram'] as const

/** Counts the user's clicks, wherever they land. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    document.addEventListener('click', ({ isTrusted, detail }) => {
      // A click on a label is dispatched again on its box, without a click count.
      const before = Number(document.body.dataset['clicks'] ?? 0)
      if (isTrusted && detail > 0) document.body.dataset['clicks'] = String(before + 1)
    })
  })
  return () => page.evaluate(() => Number(document.body.dataset['clicks'] ?? 0))
}

test('one video goes to six accounts with own captions and a comment, in at most 14 clicks', async ({
  page,
  reelay,
  person,
}) => {
  test.slow()
  const brands = [await brand('Northwind Bakery'), await brand('Harbour Coffee')]
  const names: string[] = []
  for (const [at, platform] of ACCOUNTS.entries()) {
    const creator = await newCreator(reelay, platform)
    names.push(creator)
    const brandId = brands[at < 4 ? 0 : 1] ?? 0
    await linkAccount(person, {
      platform,
      brandId,
      creator,
      permissions: platform === 'instagram' ? ['comments'] : [],
    })
  }
  async function brand(title: string) {
    return (await person.call('createBrand', { body: { title } })).brand_id
  }
  await logIn(page, person.email)
  const clicks = await countClicks(page)

  await page.getByRole('link', { name: 'New post' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'New post' })).toBeVisible()
  const picker = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a video', exact: true }).click()
  await (await picker).setFiles(await chosen(sampleVideo().file))
  await page.getByRole('textbox', { name: 'Caption', exact: true }).click()
  await page.keyboard.insertText('Three ways to plate a tart')
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect(page.getByText('6 accounts', { exact: true })).toBeVisible()
  for (const name of names.slice(0, 2)) {
    await page.getByRole('button', { name: `Caption and options for @${name}` }).click()
    await page.getByRole('switch', { name: `Custom caption for @${name}` }).click()
    await expect(page.getByRole('textbox', { name: `Caption for @${name}` })).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.insertText(`, for ${name}`)
  }
  await page.getByRole('button', { name: 'Caption and options for all Instagram accounts' }).click()
  await page
    .getByRole('region', { name: 'All Instagram accounts' })
    .getByRole('textbox', { name: 'First comment' })
    .click()
  await page.keyboard.insertText('The recipe is on our page.')
  await expect(page.getByText('6 ready')).toBeVisible()
  await page.getByRole('button', { name: 'Publish to 6 accounts' }).click()

  await expect(page.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  const post = page.getByRole('listitem', { name: 'Three ways to plate a tart' })
  await expect(post).toHaveCount(1)
  await expect(post.getByText('Published')).toHaveCount(1)
  expect(await clicks()).toBeLessThanOrEqual(14)
  await post.getByRole('button', { name: /^Published: accounts of/ }).click()
  await expect(post.getByRole('list', { name: 'Accounts' }).getByText('Published')).toHaveCount(6)

  const { items } = await person.call('listPosts', {})
  expect(items).toHaveLength(1)
  const sent = await person.call('getPost', { params: { postId: Number(items[0]?.post_id) } })
  expect(sent.deliveries.map(({ username }) => username)).toEqual(names)
  expect(sent.targets.map(({ text }) => text)).toEqual(
    names.map((name, at) =>
      at < 2 ? `Three ways to plate a tart, for ${name}` : 'Three ways to plate a tart',
    ),
  )
  expect((await person.call('listDrafts', {})).items).toEqual([])
  const comments = async () =>
    (await livePosts(reelay))
      .filter(({ account }) => names.includes(account))
      .flatMap(({ account, comments: its = [] }) => its.map(({ text }) => `${account}: ${text}`))
  const commented = names.filter((_name, at) => ACCOUNTS[at] === 'instagram')
  const expected = commented.map((name) => `${name}: The recipe is on our page.`)
  await expect.poll(async () => (await comments()).toSorted()).toEqual(expected.toSorted())
})

test('one video goes to two accounts of each platform, and is live once on each', async ({
  page,
  reelay,
  person,
}) => {
  test.slow()
  const { brand_id: brandId } = await person.call('createBrand', { body: { title: 'Northwind Bakery' } })
  const names: string[] = []
  for (const platform of PLATFORM_IDS)
    for (let count = 0; count < 2; count += 1) {
      const creator = await newCreator(reelay, platform)
      names.push(creator)
      await linkAccount(person, { platform, brandId, creator })
    }
  await logIn(page, person.email, '/dashboard/compose')
  const picker = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a video', exact: true }).click()
  await (await picker).setFiles(await chosen(sampleVideo().file))
  await page
    .getByRole('textbox', { name: 'Caption', exact: true })
    .fill('Rye starter, day 3\n\nFeed it twice.')
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect(page.getByText(`${names.length} accounts`, { exact: true })).toBeVisible()

  // What YouTube leaves to the user is asked for before anything goes out.
  await page.getByRole('button', { name: `Publish to ${names.length} accounts` }).click()
  const shared = page.getByRole('region', { name: 'All YouTube accounts' })
  await expect(shared.getByRole('textbox', { name: 'Title' })).toHaveValue('Rye starter, day 3')
  await shared.getByRole('combobox', { name: 'Who can see this video' }).click()
  await page.getByRole('option', { name: /^Unlisted/ }).click()
  await shared.getByRole('radio', { name: 'No', exact: true }).check()
  await expect(page.getByRole('link', { name: 'Community Guidelines' })).toBeVisible()
  await expect(page.getByText(`${names.length} ready`)).toBeVisible()
  await page.getByRole('button', { name: `Publish to ${names.length} accounts` }).click()

  await expect(page.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  const post = page.getByRole('listitem', { name: 'Rye starter, day 3' })
  await post.getByRole('button', { name: /^Published: accounts of/ }).click()
  await expect(post.getByRole('list', { name: 'Accounts' }).getByText('Published')).toHaveCount(names.length)
  const live = (await livePosts(reelay)).filter(({ account }) => names.includes(account))
  expect(live.map(({ account }) => account).toSorted()).toEqual(names.toSorted())
})

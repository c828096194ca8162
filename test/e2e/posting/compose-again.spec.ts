import { uploadVideo } from '../../support/publish.ts'
import { linkAccount, livePosts, until } from '../../support/test-server.ts'
import { expect, linkedBrand, logIn, misbehave, newCreator, test, type Page } from '../support/fixtures.ts'

const caption = (page: Page) => page.getByRole('textbox', { name: 'Caption', exact: true })

test('a draft that two tabs change shows both versions, and is published once as chosen', async ({
  page,
  context,
  reelay,
  person,
}) => {
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'instagram' })
  const { video_id } = await uploadVideo(person)
  await logIn(page, person.email, `/dashboard/compose?video=${video_id}`)
  await page.getByRole('checkbox', { name: `Instagram @${creator}` }).check()
  await caption(page).fill('Lemon tart')
  await expect(page).toHaveURL(/draft=/)
  await expect(page.getByText(/Draft saved at/)).toBeVisible()

  const other = await context.newPage()
  await other.goto(page.url())
  await expect(caption(other)).toHaveValue('Lemon tart')
  await caption(other).fill('Lemon tart, from the other tab')
  await expect(other.getByText(/Draft saved at/)).toBeVisible()
  await caption(page).fill('Lemon tart, from this tab')

  const theirs = page.getByRole('region', { name: 'The other tab' })
  await expect(theirs).toContainText('Lemon tart, from the other tab')
  await expect(page.getByRole('region', { name: 'This tab' })).toContainText('Lemon tart, from this tab')
  await page.getByRole('button', { name: "Keep this tab's version" }).click()
  await page.getByRole('button', { name: 'Publish to 1 account' }).click()

  const post = page.getByRole('listitem', { name: 'Lemon tart, from this tab' })
  await expect(post.getByText('Published')).toBeVisible()
  await caption(other).fill('Lemon tart, too late')
  await expect(other.getByText('This draft was published or deleted elsewhere.')).toBeVisible()
  const live = (await livePosts(reelay)).filter(({ account }) => account === creator)
  expect(live.map(({ text }) => text)).toEqual(['Lemon tart, from this tab'])
})

test('a failed account is edited and resent with all that was typed, and no other is', async ({
  page,
  reelay,
  person,
}) => {
  const { brandId, accountId, creator } = await linkedBrand(reelay, person, {
    title: 'Northwind',
    platform: 'instagram',
  })
  const fine = await newCreator(reelay, 'instagram')
  const { account_id: other } = await linkAccount(person, { platform: 'instagram', brandId, creator: fine })
  const refusal = { call: 'create', fault: 'error', code: 352, subcode: 2_207_026 }
  await misbehave(reelay, { platform: 'instagram', account: creator, ...refusal })
  const { video_id } = await uploadVideo(person)
  const own = { account_id: accountId, text: 'Tart, for you', options: { collaborators: ['maria.bakes'] } }
  const { post_id: postId } = await person.call('createPost', {
    body: { video_id, text: 'Lemon tart', targets: [own, { account_id: other, options: {} }] },
  })
  // The row moves in the queue with each outcome.
  await until('both outcomes', async () => {
    const { deliveries } = await person.call('getPost', { params: { postId } })
    return deliveries.map(({ status }) => status).join() === 'failed,published'
  })

  await logIn(page, person.email, '/dashboard/queue')
  await expect(page.getByRole('listitem', { name: 'Lemon tart' }).getByText('Failed')).toBeVisible()
  await page.getByRole('link', { name: `Edit and resend: @${creator}` }).click()
  await expect(page.getByRole('checkbox', { name: `Instagram @${creator}` })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: `Instagram @${fine}` })).not.toBeChecked()
  await expect(caption(page)).toHaveValue('Lemon tart')
  await page.getByRole('button', { name: `Caption and options for @${creator}` }).click()
  await expect(page.getByText('@maria.bakes')).toBeVisible()
  const custom = page.getByRole('textbox', { name: `Caption for @${creator}` })
  await expect(custom).toHaveValue('Tart, for you')
  await custom.fill('Tart, for you again')
  await page.getByRole('button', { name: 'Publish to 1 account' }).click()

  await expect(page.getByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
  const textsOf = async (name: string) =>
    (await livePosts(reelay)).filter(({ account }) => account === name).map(({ text }) => text)
  await expect.poll(() => textsOf(creator)).toEqual(['Tart, for you again'])
  expect(await textsOf(fine)).toEqual(['Lemon tart'])
})

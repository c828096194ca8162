import { control, livePosts } from '../../support/test-server.ts'
import { delivered, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import { expect, linkedBrand, logIn, test } from '../support/fixtures.ts'

test('a refused post that is edited and sent again is live once, and its failure needs nothing', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await linkedBrand(reelay, person, {
    title: 'Northwind Bakery',
    platform: 'tiktok',
  })
  await control(reelay.practiceUrl, 'POST', '/_control/accounts', {
    platform: 'tiktok',
    username: creator,
    fail_reasons: ['spam_risk_text'],
  })
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Too hot to post'), ['failed'])
  await logIn(page, person.email, '/dashboard/queue')
  const refused = page.getByRole('listitem', { name: 'Too hot to post' })
  await refused.getByRole('link', { name: 'Edit and resend' }).click()
  const caption = page.getByRole('textbox', { name: 'Caption', exact: true })
  await expect(caption).toHaveValue('Too hot to post')
  await caption.fill('Cooler now')
  // The draft keeps what it replaces, also after a reload.
  await expect(page).toHaveURL(/draft=/)
  await expect(page.getByText('Draft saved')).toBeVisible()
  await page.reload()
  await expect(caption).toHaveValue('Cooler now')
  await page.getByRole('button', { name: 'Publish to 1 account' }).click()

  const resent = page.getByRole('listitem', { name: 'Cooler now' })
  await expect(resent.getByText('Published')).toBeVisible()
  await expect(refused.getByText('Failed: replaced')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Retry|^Dismiss/ })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Needs attention' })).toHaveCount(0)
  await refused.getByRole('link', { name: 'Show the newer post' }).click()
  await expect(page.getByRole('heading', { name: 'Cooler now', level: 1 })).toBeVisible()
  expect((await livePosts(reelay)).filter(({ account }) => account === creator)).toHaveLength(1)
})

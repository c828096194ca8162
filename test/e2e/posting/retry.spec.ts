import { livePosts } from '../../support/test-server.ts'
import { delivered, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import { ban, expect, linkedBrand, logIn, test } from '../support/fixtures.ts'

test('a post that TikTok refuses shows a reason and a remedy, and is published by a retry', async ({
  page,
  person,
  reelay,
}) => {
  const { accountId, creator } = await linkedBrand(reelay, person, {
    title: 'Northwind Bakery',
    platform: 'tiktok',
  })
  await ban(reelay, creator)
  await delivered(person, await postTikTok(person, accountId, sampleVideo(), 'Too hot to post'), ['failed'])
  await logIn(page, person.email, '/dashboard/queue')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  const failed = attention.getByRole('listitem', { name: 'Too hot to post' })
  await expect(failed.getByText('Failed')).toBeVisible()
  await expect(failed).toContainText('TikTok has banned this account from posting.')
  await expect(failed).toContainText('Open the TikTok app to see why.')

  await ban(reelay, creator, false)
  await failed.getByRole('button', { name: `Retry: @${creator}` }).click()
  const post = page.getByRole('listitem', { name: 'Too hot to post' })
  await expect(post.getByText('Published')).toBeVisible()
  await expect(post.getByRole('link', { name: 'Open on TikTok' })).toBeVisible()
  expect((await livePosts(reelay)).filter(({ account }) => account === creator)).toHaveLength(1)
})

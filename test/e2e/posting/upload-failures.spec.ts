import { open } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { INSTAGRAM_FORM_MAX_BYTES } from '#contract/platforms/instagram.ts'
import { TEXTS } from '#contract/texts.ts'
import { livePosts } from '../../support/test-server.ts'
import { fixture, sampleVideo } from '../../support/sample.ts'
import {
  ban,
  chosen,
  expect,
  go,
  linkedBrand,
  logIn,
  test,
  type Person,
  type Reelay,
} from '../support/fixtures.ts'

const NOT_A_VIDEO = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('flour, butter') }

/** The upload screen of somebody with one account, and that platform's form. */
async function atForm(
  page: Page,
  it: { reelay: Reelay; person: Person; platform: 'tiktok' | 'instagram' },
): Promise<{ form: Locator; video: Locator; submit: Locator; creator: string }> {
  const { creator } = await linkedBrand(it.reelay, it.person, {
    title: 'Northwind Bakery',
    platform: it.platform,
  })
  await logIn(page, it.person.email, '/dashboard/upload')
  const name = it.platform === 'tiktok' ? 'TikTok video' : 'Instagram video'
  const form = page.getByRole('region', { name })
  const submit = form.getByRole('button', { name: `Publish to @${creator}` })
  await expect(submit).toBeVisible()
  return { form, video: form.getByLabel('Video file'), submit, creator }
}

test('what cannot be posted is refused in its form with the remedy, before a byte is sent', async ({
  page,
  person,
  reelay,
}, info) => {
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  await linkedBrand(reelay, person, { title: 'Harbour', platform: 'instagram' })
  const { form, video, submit } = await atForm(page, { reelay, person, platform: 'tiktok' })
  const instagram = page.getByRole('region', { name: 'Instagram video' })
  const reel = instagram.getByLabel('Video file')
  const publish = instagram.getByRole('button', { name: /^Publish to @/ })

  await test.step('no video', async () => {
    await submit.click()
    await expect(video).toHaveAccessibleDescription(TEXTS.chooseVideo)
    await expect(form.getByLabel('Title')).toHaveAccessibleDescription(/Enter a title\./)
    const file = page.getByRole('region', { name: 'Video file' })
    await file.getByRole('button', { name: 'Upload video' }).click()
    await expect(file.getByLabel('Video', { exact: true })).toHaveAccessibleDescription(
      TEXTS.chooseVideoFirst,
    )
    await expect(publish).toBeDisabled()
  })

  await test.step('a video dropped beside its field changes nothing', async () => {
    const files = await page.evaluateHandle(() => {
      const dropped = new DataTransfer()
      dropped.items.add(new File(['x'], 'tart.mp4', { type: 'video/mp4' }))
      return dropped
    })
    const isTaken = (place: string) =>
      page.locator(place).evaluate((element, dataTransfer) => {
        const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
        return !element.dispatchEvent(drop)
      }, files)
    // The browser opens what nobody took.
    expect(await isTaken('h1')).toBe(true)
    await expect(page.getByText('tart.mp4')).toBeHidden()
  })

  await test.step('a file that is no video', async () => {
    for (const field of [video, reel]) {
      await field.setInputFiles(NOT_A_VIDEO)
      await expect(field).toHaveAccessibleDescription(TEXTS.notAVideo)
    }
  })

  await test.step('a file of 100 MB for Instagram', async () => {
    const large = info.outputPath('large.mp4')
    const file = await open(large, 'w')
    await file.truncate(INSTAGRAM_FORM_MAX_BYTES) // sparse: takes no room
    await file.close()
    await reel.setInputFiles(large)
    await expect(reel).toHaveAccessibleDescription(TEXTS.instagramTooLarge)
  })

  await test.step('a video that Instagram would refuse', async () => {
    await reel.setInputFiles(fixture('short.mp4'))
    const finding = instagram.getByText(
      'The video is 1 second long; Instagram takes 3 seconds or more. Choose a longer video.',
    )
    await expect(finding).toBeVisible()
    await publish.click()
    await expect(finding).toBeVisible()
  })
  expect(sent.filter((path) => /^\/api\/v1\/(platforms|videos)/.test(path))).toEqual([])
})

for (const { platform, field, text, success } of [
  {
    platform: 'tiktok',
    field: 'Title',
    text: 'Failed to upload video. Network Error',
    success: TEXTS.uploadInitialized,
  },
  {
    platform: 'instagram',
    field: 'Caption',
    text: TEXTS.uploadFailedPrefix + TEXTS.unknownError,
    success: TEXTS.uploadInitiated,
  },
] as const)
  test(`an upload to ${platform} that is interrupted says so, loses nothing and can be sent again`, async ({
    page,
    person,
    reelay,
  }) => {
    const { form, video, submit, creator } = await atForm(page, { reelay, person, platform })
    const sample = sampleVideo()
    await video.setInputFiles(await chosen(sample.file))
    await form.getByLabel(field).fill('Three ways to plate a tart')
    await page.route('**/api/v1/platforms/**', (route) => route.abort('connectionreset'))
    await submit.click()
    await expect(form.getByRole('alert')).toHaveText(text)
    await expect(form).toContainText('The upload was interrupted; nothing was posted.')
    await expect(form.getByLabel(field)).toHaveValue('Three ways to plate a tart')
    await expect(form.getByText(sample.file.name)).toBeVisible()

    // Nor is it lost on the way to the queue and back.
    await go(page, 'Queue')
    await go(page, 'Upload')
    await expect(form.getByLabel(field)).toHaveValue('Three ways to plate a tart')

    await page.unroute('**/api/v1/platforms/**')
    await submit.click()
    await expect(form.getByRole('alert')).toHaveText(success)
    await go(page, 'Queue')
    const post = page.getByRole('listitem', { name: 'Three ways to plate a tart' })
    await expect(post).toHaveCount(1)
    await expect(post.getByText('Published')).toBeVisible()
    expect((await livePosts(reelay)).filter(({ account }) => account === creator)).toHaveLength(1)
  })

test('a post that TikTok refuses shows a reason and a remedy, and is published by a retry', async ({
  page,
  person,
  reelay,
}) => {
  const { form, video, submit, creator } = await atForm(page, { reelay, person, platform: 'tiktok' })
  await video.setInputFiles(await chosen(sampleVideo().file))
  await form.getByLabel('Title').fill('Too hot to post')
  await expect(form.getByLabel('Who can see this video')).toHaveValue('Public')
  // Were the form told of the ban before the worker, the post would wait for it to end.
  await page.route('**/api/v1/accounts/*/options', (route) => route.abort())
  await ban(reelay, creator)
  await submit.click()
  await expect(form.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
  await form.getByRole('link', { name: 'See it in the queue' }).click()

  // Failed, it moves there: a click on it before would hit a row that goes away.
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

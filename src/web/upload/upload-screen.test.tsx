import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { INSTAGRAM_FORM_MAX_BYTES } from '#contract/platforms/instagram.ts'
import { TikTokPrivacy } from '#contract/platforms/tiktok.ts'
import { TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { jsonOf } from '#web/lib/json-of.ts'
import { api } from '#web/testing/api-stub.ts'
import { settings, video, videosPage } from '#web/testing/data.ts'
import { button, fill, findHeading } from '#web/testing/render-app.tsx'
import { fixtureFile } from '#web/testing/sample-files.ts'
import { answerRanges } from '#web/testing/stored-file.ts'
import {
  alertOf,
  answerUploadForms,
  choose,
  fileForm,
  instagramForm,
  openForms,
  openUpload,
  privacy,
  publishOf,
  sentCall,
  tiktokForm,
  tiktokOptions,
  TITLE,
  title,
  videoOf,
} from '#web/testing/upload-forms.ts'

beforeEach(answerUploadForms)

/** A video field's description that consists of this text: no findings follow. */
const only = (text: string) => `${text} `
const filesSent = () =>
  (['postTikTokVideo', 'postInstagramMedia', 'uploadVideo'] as const).flatMap((name) => api.calls(name))

test('the forms send the parts and the defaults of the specification', async () => {
  const events = await openForms()
  for (const form of [tiktokForm(), instagramForm(), fileForm()])
    expect(videoOf(form)).toHaveAttribute('accept', 'video/*')
  const { size } = fixtureFile('good.mp4')

  await fill(events, title(), TITLE)
  await choose(tiktokForm())
  await events.click(publishOf(tiktokForm()))
  expect((await alertOf(tiktokForm())).textContent).toBe(TEXTS.uploadInitialized)
  const queue = within(tiktokForm()).getByRole('link', { name: 'See it in the queue' })
  expect(queue).toHaveAttribute('href', PATHS.queue)
  const toTikTok = await sentCall('postTikTokVideo')
  expect(toTikTok.form.map(([name, value]) => [name, jsonOf(value) ?? value])).toEqual([
    [
      'post_info',
      {
        title: TITLE,
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_duet: false,
        disable_comment: false,
        disable_stitch: false,
        video_cover_timestamp_ms: 0,
      },
    ],
    ['source_info', { source: 'FILE_UPLOAD', video_size: size, chunk_size: size, total_chunk_count: 1 }],
    ['accountId', 1],
    ['videoFile', 'good.mp4'],
  ])

  expect(publishOf(instagramForm())).toBeDisabled()
  await choose(instagramForm())
  await events.click(publishOf(instagramForm()))
  expect((await alertOf(instagramForm())).textContent).toBe(TEXTS.uploadInitiated)
  const toInstagram = await sentCall('postInstagramMedia')
  expect(toInstagram.form.map(([name, value]) => [name, jsonOf(value) ?? value])).toEqual([
    ['post_info', { caption: '', media_type: 'VIDEO', share_to_feed: true }],
    ['accountId', 2],
    ['video', 'good.mp4'],
  ])

  const release = api.hold('uploadVideo')
  await choose(fileForm())
  await events.click(publishOf(fileForm()))
  expect(await within(fileForm()).findByRole('progressbar')).toBeVisible()
  expect(publishOf(fileForm())).toBeDisabled()
  release()
  expect((await alertOf(fileForm())).textContent).toBe(TEXTS.uploadInitiated)
  expect(fileForm()).toHaveTextContent('good.mp4 is stored (1 kB).')
  expect((await sentCall('uploadVideo')).form).toEqual([['file', 'good.mp4']])
  // A video that the browser cannot show is accepted without a frame.
  expect(api.calls('setVideoPoster')).toEqual([])
})

test('what cannot be posted is refused in its form with the remedy, before a byte is sent', async () => {
  const events = await openForms()
  const [tiktok, instagram, file] = [tiktokForm(), instagramForm(), fileForm()]

  await events.click(publishOf(tiktok))
  expect(videoOf(tiktok)).toHaveAccessibleDescription(only(TEXTS.chooseVideo))
  expect(title()).toHaveAccessibleDescription(/Enter a title\./)
  await waitFor(() => expect(videoOf(tiktok)).toHaveFocus())
  await events.click(publishOf(file))
  expect(videoOf(file)).toHaveAccessibleDescription(only(TEXTS.chooseVideoFirst))
  expect(publishOf(instagram)).toBeDisabled()

  for (const form of [tiktok, instagram]) {
    await choose(form, new File(['flour, butter'], 'notes.txt', { type: 'text/plain' }))
    expect(videoOf(form)).toHaveAccessibleDescription(only(TEXTS.notAVideo))
  }

  const large = fixtureFile('good.mp4', 'large.mp4')
  Object.defineProperty(large, 'size', { value: INSTAGRAM_FORM_MAX_BYTES + 1 })
  await choose(instagram, large)
  expect(videoOf(instagram)).toHaveAccessibleDescription(only(TEXTS.instagramTooLarge))

  await choose(instagram, fixtureFile('short.mp4'))
  const finding = 'The video is 1 second long; Instagram accepts 3 seconds or more. Choose a longer video.'
  await waitFor(() =>
    expect(videoOf(instagram)).toHaveAccessibleDescription(expect.stringContaining(finding)),
  )
  await events.click(publishOf(instagram))
  expect(videoOf(instagram)).toHaveAccessibleDescription(expect.stringContaining(finding))

  // A browser would open a file that is dropped beside a field, and so leave the page.
  const files = [new File(['x'], 'tart.mp4', { type: 'video/mp4' })]
  const dataTransfer = { files, types: ['Files'] }
  const isOpened = fireEvent.drop(await findHeading('Upload'), { dataTransfer })
  expect(isOpened).toBe(false)
  expect(screen.queryByText('tart.mp4')).toBeNull()
  fireEvent.drop(videoOf(tiktok), { dataTransfer })
  await screen.findByText('tart.mp4')
  expect(filesSent()).toEqual([])
})

test('missing and loading accounts are explained with what to do', async () => {
  api.reply('listAccounts', [])
  const release = api.hold('listAccounts')
  const events = await openUpload()
  expect(within(tiktokForm()).getByText('Loading')).toBeInTheDocument()
  release()
  await within(tiktokForm()).findByText('No TikTok account is linked yet.')
  expect(within(instagramForm()).getByText('No Instagram account is linked yet.')).toBeVisible()
  await events.click(within(tiktokForm()).getByRole('link', { name: 'Go to accounts' }))
  await findHeading('Accounts')
})

test('accounts and options that cannot be read say so, can be asked for again, and lose no text', async () => {
  api.refuse('listAccounts', 'internal', 'Something broke.')
  const events = await openUpload()
  expect(await alertOf(tiktokForm())).toHaveTextContent('Something broke.')
  answerUploadForms()
  api.refuse('getAccountOptions', 'internal', 'Something broke.')
  await events.click(button('Try again', tiktokForm()))

  await within(tiktokForm()).findByText("Couldn't load this account's options.")
  expect(within(tiktokForm()).getByRole('alert')).toHaveTextContent('Something broke.')
  expect(publishOf(tiktokForm())).toBeDisabled()
  await fill(events, title(), TITLE)
  answerUploadForms()
  await events.click(button('Try again', tiktokForm()))
  await waitFor(() => expect(privacy()).toHaveValue('Public'))
  expect(title()).toHaveValue(TITLE)
})

test('an audit form preselects nothing, and asks who can see the video', async () => {
  const { platforms, ...others } = settings()
  const audited = platforms.map((one) => ({ ...one, audit_form: true }))
  api.reply('getSettings', { ...others, platforms: audited })
  const events = await openUpload()
  await waitFor(() => expect(privacy()).toHaveValue(''))
  for (const name of ['Allow comments', 'Allow duet', 'Allow stitch'])
    expect(within(tiktokForm()).getByRole('checkbox', { name })).not.toBeChecked()
  expect(tiktokForm()).toHaveTextContent(TEXTS.tiktokDeclaration)
  await fill(events, title(), TITLE)
  await choose(tiktokForm())
  await events.click(publishOf(tiktokForm()))
  expect(privacy()).toHaveAccessibleDescription('Choose who can see this video.')
  await waitFor(() => expect(privacy()).toHaveFocus())
  await events.click(privacy())
  const levels = screen.getAllByRole('option').map(({ textContent }) => textContent)
  expect(levels).toEqual(['Public', 'Friends Only', 'Private'])
  expect(filesSent()).toEqual([])
})

test('an unaudited app offers Private only, and says why', async () => {
  const notice = "TikTok has not audited this server's app yet."
  api.reply('getAccountOptions', {
    ...tiktokOptions,
    privacy_levels: [TikTokPrivacy.enum.SELF_ONLY],
    notice,
  })
  const events = await openUpload()
  await within(tiktokForm()).findByText(notice)
  expect(privacy()).toHaveValue('Private')
  await events.click(privacy())
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Private'])
})

test('a file that the library has leads to it, and can be uploaded again', async () => {
  const file = fixtureFile('good.mp4', 'tart again.mp4')
  api.reply('listVideos', videosPage(video({ video_id: 7, filename: 'tart & pie.mp4', size: file.size })))
  answerRanges(file)
  const events = await openForms()
  await choose(fileForm(), file)
  const link = await within(fileForm()).findByRole('link', { name: 'tart & pie.mp4' })
  expect(link).toHaveAttribute('href', `${PATHS.library}?search=tart+%26+pie.mp4`)
  expect(link.parentElement).toHaveTextContent(
    'Your library already has this file: tart & pie.mp4. Uploading it again stores a second copy.',
  )
  await events.click(publishOf(fileForm()))
  expect((await alertOf(fileForm())).textContent).toBe(TEXTS.uploadInitiated)
})

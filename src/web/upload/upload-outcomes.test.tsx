import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, delivery, post } from '#web/testing/data.ts'
import { button, fill, goTo, loggedErrors } from '#web/testing/render-app.tsx'
import {
  alertOf,
  answerUploadForms,
  caption,
  CAPTION,
  choose,
  fileForm,
  instagramForm,
  keyOf,
  largeFile,
  openForms,
  openUpload,
  publishOf,
  sendTikTok,
  sentCall,
  tiktokForm,
  title,
  TITLE,
} from '#web/testing/upload-forms.ts'

beforeEach(answerUploadForms)

const SENDS = ['postTikTokVideo', 'postInstagramMedia', 'uploadVideo'] as const
const keysSent = () => api.calls('postTikTokVideo').map(keyOf)
const says = (text: string) =>
  waitFor(() => expect(within(tiktokForm()).getByRole('alert')).toHaveTextContent(text))

test('a failed upload shows its reason, or the fallback text where there is none', async () => {
  const events = await openForms()
  const forms = [tiktokForm(), instagramForm(), fileForm()]
  await fill(events, title(), TITLE)
  for (const form of forms) await choose(form)
  let rounds = 0
  const failWith = async (answer: (name: (typeof SENDS)[number]) => void, texts: readonly string[]) => {
    for (const name of SENDS) answer(name)
    for (const form of forms) await events.click(publishOf(form))
    rounds += 1
    for (const name of SENDS) await sentCall(name, rounds)
    for (const [index, form] of forms.entries())
      await waitFor(() => expect(within(form).getByRole('alert').textContent).toBe(texts[index]))
  }
  await failWith(
    (name) => api.fail(name, 500),
    [
      'Failed to upload video. Check console for details.',
      'Failed to upload video: Unknown error occurred',
      'Failed to upload video: Unknown error occurred',
    ],
  )
  expect(loggedErrors).toEqual(Array(3).fill('ApiProblem: Request failed with status code 500'))
  await failWith(
    (name) => api.refuse(name, 'unavailable', ''),
    [
      TEXTS.uploadFailed,
      TEXTS.uploadFailedPrefix + TEXTS.unknownError,
      TEXTS.uploadFailedPrefix + TEXTS.unknownError,
    ],
  )
  await failWith(
    (name) => api.refuse(name, 'unavailable', 'The disk is full.'),
    [
      'Failed to upload video. The disk is full.',
      'Failed to upload video: The disk is full.',
      'Failed to upload video: The disk is full.',
    ],
  )
  // The server's message about a field stands beside that field.
  const invalid = 'Check what is marked.'
  await failWith(
    (name) => api.refuse(name, 'invalid', invalid, { text: ['Not this text.'] }),
    [
      `Failed to upload video. ${invalid}`,
      `Failed to upload video: ${invalid}`,
      `Failed to upload video: ${invalid}`,
    ],
  )
  expect(title()).toHaveAccessibleDescription(/Not this text\./)
  expect(caption()).toHaveAccessibleDescription(/Not this text\./)
})

test.each([
  {
    platform: 'TikTok',
    form: tiktokForm,
    field: title,
    name: 'postTikTokVideo',
    text: 'Failed to upload video. Network Error',
    success: TEXTS.uploadInitialized,
  },
  {
    platform: 'Instagram',
    form: instagramForm,
    field: caption,
    name: 'postInstagramMedia',
    text: TEXTS.uploadFailedPrefix + TEXTS.unknownError,
    success: TEXTS.uploadInitiated,
  },
] as const)(
  'an upload to $platform that is interrupted says so, loses nothing and can be sent again',
  async ({ form, field, name, text, success }) => {
    const events = await openForms()
    await choose(form(), largeFile())
    await fill(events, field(), TITLE)
    api.disconnect(name)
    await events.click(publishOf(form()))
    expect((await alertOf(form())).textContent).toBe(text)
    expect(form()).toHaveTextContent('The upload was interrupted; nothing was posted.')
    expect(form()).toHaveTextContent('If large files break off each time, use New post: it uploads in parts.')
    expect(field()).toHaveValue(TITLE)
    expect(within(form()).getByText('good.mp4')).toBeVisible()

    // Nor is it lost on the way to the queue and back.
    await goTo(events, 'Queue')
    await goTo(events, 'Upload')
    expect(field()).toHaveValue(TITLE)
    expect(within(form()).getByText('good.mp4')).toBeVisible()
    answerUploadForms()
    await events.click(publishOf(form()))
    await waitFor(() => expect(within(form()).getByRole('alert').textContent).toBe(success))
    expect(field()).toHaveValue('')
    const [first, second] = api.calls(name).map(keyOf)
    expect(second).toBe(first)
  },
)

const loseAnswer = async () => {
  const events = await openForms()
  api.disconnect('postTikTokVideo')
  await sendTikTok(events)
  await waitFor(() => expect(tiktokForm()).toHaveTextContent(/it may have arrived.*it can't be posted twice/))
  return { events, publish: () => events.click(publishOf(tiktokForm())) }
}

describe('a post whose answer was lost', () => {
  test('is sent again with its key until the server has it, also after a refusal', async () => {
    const { events, publish } = await loseAnswer()
    api.refuse('postTikTokVideo', 'unavailable', 'Busy.')
    await publish()
    await says('Busy.')
    answerUploadForms()
    await publish()
    await says(TEXTS.uploadInitialized)
    await sendTikTok(events)
    await sentCall('postTikTokVideo', 4)
    const [lost, refused, again, anew] = keysSent()
    expect([refused, again]).toEqual([lost, lost])
    expect(anew).not.toBe(lost)
  })

  test('is not followed by a changed one unless its user wants both', async () => {
    const { events, publish } = await loseAnswer()
    await fill(events, title(), 'Another title')
    api.refuse('postTikTokVideo', 'key_reused', 'This Idempotency-Key was used for another post.')
    await publish()
    await says('What you sent before did arrive, so this was not sent.')
    expect(title()).toHaveValue('Another title')
    answerUploadForms()
    await publish()
    await says(TEXTS.uploadInitialized)
    const [lost, changed, wanted] = keysSent()
    expect(changed).toBe(lost)
    expect(wanted).not.toBe(lost)
  })
})

test('a post that was sent before and has stopped since is not called a success', async () => {
  const events = await openForms()
  for (const status of ['cancelled', 'failed', 'blocked', 'unconfirmed'] as const) {
    api.reply('postTikTokVideo', post({ deliveries: [delivery({ status })] }))
    await sendTikTok(events)
    await says('You sent this before. Check the queue for what became of it.')
  }
  const queue = within(tiktokForm()).getByRole('link', { name: 'See it in the queue' })
  expect(queue).toHaveAttribute('href', PATHS.queue)
})

test('a cancelled upload keeps the form, and says whether it may be posted all the same', async () => {
  const events = await openForms()
  const cancel = async () => {
    await events.click(publishOf(tiktokForm()))
    await events.click(await within(tiktokForm()).findByRole('button', { name: 'Cancel' }))
  }
  await fill(events, title(), TITLE)
  await choose(tiktokForm())
  api.hold('postTikTokVideo')
  await cancel()
  await says(
    'Upload cancelled. Almost all of it was sent, so it may be posted all the same: check the queue.',
  )
  expect(within(tiktokForm()).getByRole('link', { name: 'See it in the queue' })).toBeVisible()

  await choose(tiktokForm(), largeFile())
  await cancel()
  await says('Upload cancelled. Nothing was posted.')
  expect(title()).toHaveValue(TITLE)
  const [first, second] = keysSent()
  expect(second).toBe(first)
})

test('two presses at once send one request', async () => {
  const events = await openForms()
  api.hold('postTikTokVideo')
  await fill(events, title(), TITLE)
  await choose(tiktokForm())
  await events.dblClick(publishOf(tiktokForm()))
  await sentCall('postTikTokVideo')
  expect(keysSent()).toHaveLength(1)
  await events.click(button('Cancel', tiktokForm()))
})

test('an account that was unlinked in another tab leaves the form, and what was typed stays', async () => {
  const first = account({ account_id: 3, username: 'northwind.bakes', platform: 'instagram' })
  const second = account({ account_id: 4, username: 'harbour.coffee', platform: 'instagram' })
  api.reply('listAccounts', [first, second])
  const events = await openUpload()
  const choice = await within(instagramForm()).findByRole('combobox', { name: 'Account' })
  await events.click(choice)
  await events.click(await screen.findByRole('option', { name: /northwind\.bakes/ }))
  await choose(instagramForm())
  await fill(events, caption(), CAPTION)
  api.reply('listAccounts', [second])
  api.refuse('postInstagramMedia', 'not_found', "This account doesn't exist.")
  await events.click(publishOf(instagramForm()))
  const alert = await alertOf(instagramForm())
  expect(alert).toHaveTextContent(/^Failed to upload video: This account doesn't exist\.$/)
  await waitFor(() => expect(choice).toHaveValue(''))
  expect(caption()).toHaveValue(CAPTION)
})

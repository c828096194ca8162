import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { SENT_PREFIX } from '#web/lib/storage-keys.ts'
import { api, type StubbedCall } from '#web/testing/api-stub.ts'
import { delivery, post, user } from '#web/testing/data.ts'
import {
  button,
  fill,
  fillLogin,
  findHeading,
  goTo,
  loggedErrors,
  PASSWORD,
} from '#web/testing/render-app.tsx'
import {
  alertOf,
  answerUploadForms,
  caption,
  choose,
  fileForm,
  instagramForm,
  keyOf,
  openForms,
  publishOf,
  report,
  sendTikTok,
  sentCall,
  tiktokForm,
  title,
  TITLE,
} from '#web/testing/upload-forms.ts'

beforeEach(answerUploadForms)

const SENDS = ['postTikTokVideo', 'postInstagramMedia', 'uploadVideo'] as const
const UNANSWERED = /it may have arrived.*it can't be posted twice/
/** The server's last answer to an upload of which nothing arrived whole is lost, and so is every question about it. */
const loseAnswers = () => {
  api.disconnect('postTikTokVideo')
  api.disconnect('withdrawPost')
}
const keysSent = () => api.calls('postTikTokVideo').map(keyOf)
/** A post with one delivery in this state. */
const sentPost = (status: 'cancelled' | 'failed' | 'published', its: Parameters<typeof delivery>[0] = {}) =>
  post({ deliveries: [delivery({ status, ...its })] })

const cancel = async (events: UserEvent) =>
  events.click(await within(tiktokForm()).findByRole('button', { name: 'Cancel' }))
/** Sends the TikTok form, and never gets an answer. */
const sentHeld = async (events: UserEvent, count = 1): Promise<StubbedCall> => {
  api.hold('postTikTokVideo')
  await sendTikTok(events)
  return sentCall('postTikTokVideo', count)
}
const says = (text: string) =>
  waitFor(() => expect(within(tiktokForm()).getByRole('alert')).toHaveTextContent(text))
const withdrawn = () => api.calls('withdrawPost').at(-1)?.body

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
  // What the server says of a field stands beside that field.
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
    await choose(form())
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
    // The server was told to make nothing of the first, so the second has a key of its own.
    const [first, second] = api.calls(name).map(keyOf)
    expect(api.calls('withdrawPost').map(({ body }) => body)).toEqual([
      { idempotency_key: first, keep_post: true },
    ])
    expect(second).not.toBe(first)
  },
)

describe('a post whose answer was lost', () => {
  test('is found when the connection is back', async () => {
    const events = await openForms()
    api.disconnect('postTikTokVideo')
    api.reply('withdrawPost', { post: post() })
    await sendTikTok(events)
    expect((await alertOf(tiktokForm())).textContent).toBe(TEXTS.uploadInitialized)
    expect(title()).toHaveValue('')
    expect(api.calls('withdrawPost')[0]?.body).toEqual({ idempotency_key: keysSent()[0], keep_post: true })
  })

  test('is sent again with its key, also after a discard, after a log-out and from another tab', async () => {
    const events = await openForms()
    loseAnswers()
    await sendTikTok(events, 'Cake')
    await waitFor(() => expect(tiktokForm()).toHaveTextContent(UNANSWERED))
    api.refuse('postTikTokVideo', 'unavailable', 'Busy.')
    await fill(events, title(), 'Cakes')
    await events.click(publishOf(tiktokForm()))
    expect(await alertOf(tiktokForm())).toHaveTextContent('Busy.')
    await events.click(button('Discard', tiktokForm()))
    await events.click(button('Discard draft', tiktokForm()))
    answerUploadForms()
    await sendTikTok(events, 'Cake')
    expect((await alertOf(tiktokForm())).textContent).toBe(TEXTS.uploadInitialized)
    const [cake, cakes, ...again] = keysSent()
    expect(again).toEqual([cake])
    expect(cakes).not.toBe(cake)

    loseAnswers()
    await sendTikTok(events, 'Secret tart')
    await waitFor(() => expect(tiktokForm()).toHaveTextContent(UNANSWERED))
    await events.click(button('Log out'))
    await findHeading('Login')
    expect(JSON.stringify(localStorage)).not.toMatch(/secret tart/i)
    await fillLogin(events, user().email, PASSWORD)
    await findHeading('Overview')
    await goTo(events, 'Upload')
    const [sent] = Object.entries(localStorage).find(([name]) => name.startsWith(SENT_PREFIX)) ?? []
    const kept = localStorage.getItem(sent ?? '') ?? ''
    answerUploadForms()
    await sendTikTok(events, 'Secret tart')
    expect((await alertOf(tiktokForm())).textContent).toBe(TEXTS.uploadInitialized)
    expect(new Set(keysSent().slice(-2)).size).toBe(1)

    // Another tab loses the answer to the same while this one is open.
    localStorage.setItem(sent ?? '', kept.replace(/"key":"\w+"/, '"key":"ofanothertab"'))
    await sendTikTok(events, 'Secret tart')
    await waitFor(() => expect(keysSent().at(-1)).toBe('ofanothertab'))
  })
})

test('a post that is sent again reports what became of it: cancelled, deleted or failed', async () => {
  const events = await openForms()
  const publish = () => events.click(publishOf(tiktokForm()))
  /** Sends it, and learns nothing of what became of it. */
  const loseAnswer = async () => {
    loseAnswers()
    await sendTikTok(events)
    await waitFor(() => expect(tiktokForm()).toHaveTextContent(UNANSWERED))
  }
  await loseAnswer()
  api.reply('postTikTokVideo', sentPost('cancelled'))
  await publish()
  await says('its post was cancelled. Publish again to create a new post')
  expect(title()).toHaveValue(TITLE)
  api.reply('postTikTokVideo', post())
  await publish()
  await says(TEXTS.uploadInitialized)

  await loseAnswer()
  const message = 'You sent this before and have since deleted the post. Sending it again makes a new post.'
  api.refuse('postTikTokVideo', 'conflict', message)
  await publish()
  await says(message)

  const banned = {
    code: 'spam_risk_user_banned_from_posting',
    message: 'TikTok has banned this account from posting.',
    remedy: 'Open the TikTok app to see why.',
    detail: null,
  }
  await loseAnswer()
  api.reply('postTikTokVideo', sentPost('failed', { reason: banned }))
  await publish()
  await says('its post failed. TikTok has banned this account from posting. It was not sent again')
  expect(within(tiktokForm()).getByRole('link', { name: 'See it in the queue' })).toHaveAttribute(
    'href',
    PATHS.queue,
  )
  // What is sent again has the key of before; what was cancelled or deleted is a new post, with a key of its own.
  const [lost, again, anew, lostToo, deleted, lostLast, failed] = keysSent()
  expect([again, deleted, failed]).toEqual([lost, lostToo, lostLast])
  expect(new Set([lost, anew, lostToo, lostLast]).size).toBe(4)
})

describe('an upload that is cancelled', () => {
  test('before its post goes out posts nothing, and promises no more than is known', async () => {
    const events = await openForms()
    const early = await sentHeld(events)
    await cancel(events)
    expect((await alertOf(tiktokForm())).textContent).toBe('Upload cancelled. Nothing was posted.')
    expect(withdrawn()).toEqual({ idempotency_key: keyOf(early), keep_post: false })

    api.disconnect('withdrawPost')
    const unreachable = await sentHeld(events, 2)
    await cancel(events)
    await waitFor(() => expect(tiktokForm()).toHaveTextContent(UNANSWERED))
    api.reply('withdrawPost', { post: sentPost('cancelled') })
    const late = await sentHeld(events, 3)
    expect([keyOf(unreachable) === keyOf(early), keyOf(late)]).toEqual([false, keyOf(unreachable)])

    report(late, 1)
    await cancel(events)
    expect((await alertOf(tiktokForm())).textContent).toBe(
      'The upload had already finished, so its post was cancelled too. Nothing was posted.',
    )
    expect(title()).toHaveValue(TITLE)
    answerUploadForms()
    await events.click(publishOf(tiktokForm()))
    await waitFor(() =>
      expect(within(tiktokForm()).getByRole('alert').textContent).toBe(TEXTS.uploadInitialized),
    )
    expect(keysSent().at(-1)).not.toBe(keyOf(late))
  })

  test('after its post is published says so, links it, and publishes nothing twice', async () => {
    api.reply('withdrawPost', { post: sentPost('published') })
    const events = await openForms()
    const first = await sentHeld(events)
    report(first, 1)
    await cancel(events)
    expect(await alertOf(tiktokForm())).toHaveTextContent('can no longer be cancelled')
    expect(within(tiktokForm()).getByRole('link', { name: 'See it in the queue' })).toBeVisible()
    api.reply('postTikTokVideo', post())
    await events.click(publishOf(tiktokForm()))
    expect(keyOf(await sentCall('postTikTokVideo', 2))).toBe(keyOf(first))
    await waitFor(() => expect(title()).toHaveValue(''))

    // By a log-out: the user stays logged in to read it.
    await sentHeld(events, 3)
    const logOut = button('Log out')
    await events.click(logOut)
    const question = await screen.findByRole('group', { name: /^Cancel the upload/ })
    await events.click(button('Log out', question))
    expect(await alertOf(tiktokForm())).toHaveTextContent('can no longer be cancelled')
    await waitFor(() => expect(logOut).toHaveFocus())
    await events.click(logOut)
    await findHeading('Login')
  })
})

import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { TEXTS } from '#contract/texts.ts'
import { UNANSWERED_PREFIX } from '#web/lib/storage-keys.ts'
import { api } from '#web/testing/api-stub.ts'
import { post, user } from '#web/testing/data.ts'
import { button, fill, fillLogin, findAlert, findHeading, goTo, PASSWORD } from '#web/testing/render-app.tsx'
import {
  alertOf,
  answerUploadForms,
  caption,
  CAPTION,
  choose,
  instagramForm,
  keyOf,
  largeFile,
  openForms,
  privacy,
  publishOf,
  report,
  sendTikTok,
  sentCall,
  tiktokForm,
  title,
  TITLE,
} from '#web/testing/upload-forms.ts'

beforeEach(answerUploadForms)

const box = (form: HTMLElement, name: string) => within(form).getByRole('checkbox', { name })
const cover = () => within(tiktokForm()).getByLabelText('Cover timestamp')

const chooseFriends = async (events: UserEvent) => {
  await events.click(privacy())
  await events.click(screen.getByRole('option', { name: 'Friends Only' }))
}
async function type(events: UserEvent): Promise<void> {
  await fill(events, title(), TITLE)
  await chooseFriends(events)
  await events.click(box(tiktokForm(), 'Allow duet'))
  await fill(events, cover(), '1500')
  await fill(events, caption(), CAPTION)
  await events.click(box(instagramForm(), 'Share to feed'))
}

function isTyped(): void {
  expect(title()).toHaveValue(TITLE)
  expect(privacy()).toHaveValue('Friends Only')
  expect(box(tiktokForm(), 'Allow duet')).not.toBeChecked()
  expect(box(tiktokForm(), 'Allow stitch')).toBeChecked()
  expect(cover()).toHaveValue('1500 ms')
  expect(caption()).toHaveValue(CAPTION)
  expect(box(instagramForm(), 'Share to feed')).not.toBeChecked()
}

const unanswered = () => Object.keys(localStorage).filter((key) => key.startsWith(UNANSWERED_PREFIX))
const dock = () => screen.queryByRole('region', { name: 'Uploads' })
const logOutQuestion = () => screen.queryByRole('group', { name: /^Cancel the uploads? and log out\?/ })
/** True if the browser is to ask before it closes the page. */
const isWarned = () => {
  const closing = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(closing)
  return closing.defaultPrevented
}

test('a session that ends while a form is open loses nothing typed', async () => {
  const events = await openForms()
  await type(events)
  await choose(tiktokForm())
  api.refuse('postTikTokVideo', 'unauthorized', 'Log in again.')
  await events.click(publishOf(tiktokForm()))
  await findAlert('Your session has ended. Log in to pick up where you left off.')
  answerUploadForms()
  await fillLogin(events, user().email, PASSWORD)
  await findHeading('Upload')
  await waitFor(() => isTyped())
  // The same level chosen again is no other.
  await chooseFriends(events)
  isTyped()
  // Even the file is there, and one press sends it.
  expect(within(tiktokForm()).getByText('good.mp4')).toBeVisible()
  await events.click(publishOf(tiktokForm()))
  await waitFor(() =>
    expect(within(tiktokForm()).getByRole('alert').textContent).toBe(TEXTS.uploadInitialized),
  )
  expect((await sentCall('postTikTokVideo', 3)).form[0]?.[1]).toContain(
    '"privacy_level":"MUTUAL_FOLLOW_FRIENDS"',
  )
})

test('a log-out empties the forms, and an unanswered post sent again afterwards keeps its key', async () => {
  const events = await openForms()
  await fill(events, caption(), CAPTION)
  api.disconnect('postTikTokVideo')
  await sendTikTok(events)
  await alertOf(tiktokForm())
  expect(unanswered()).toHaveLength(1)
  await events.click(button('Log out'))
  await findHeading('Login')
  await fillLogin(events, user().email, PASSWORD)
  await findHeading('Overview')
  await goTo(events, 'Upload')
  await waitFor(() => expect(privacy()).toHaveValue('Public'))
  expect(title()).toHaveValue('')
  expect(caption()).toHaveValue('')
  answerUploadForms()
  await sendTikTok(events)
  expect((await alertOf(tiktokForm())).textContent).toBe(TEXTS.uploadInitialized)
  const [lost, again] = api.calls('postTikTokVideo').map(keyOf)
  expect(again).toBe(lost)
  expect(unanswered()).toEqual([])
})

test('an upload is shown on every screen, can be cancelled there, and warns before closing', async () => {
  const events = await openForms()
  api.hold('postTikTokVideo')
  expect(isWarned()).toBe(false)
  await sendTikTok(events, largeFile())
  report(await sentCall('postTikTokVideo'), 0.5, largeFile())
  expect(await within(tiktokForm()).findByText(/^50 % · /)).toBeVisible()
  expect(publishOf(tiktokForm())).toBeDisabled()
  expect(dock()).toBeNull()

  await goTo(events, 'Queue')
  const shown = await screen.findByRole('region', { name: 'Uploads' })
  expect(within(shown).getByRole('progressbar', { name: 'Upload of good.mp4' })).toBeVisible()
  expect(shown).toHaveTextContent(/50 %.* of .* [kM]B/)
  expect(isWarned()).toBe(true)
  await events.click(button('Cancel the upload of good.mp4', shown))
  await findAlert('Upload cancelled. Nothing was posted.')
  await waitFor(() => expect(dock()).toBeNull())
  expect(isWarned()).toBe(false)

  await goTo(events, 'Upload')
  expect(title()).toHaveValue(TITLE)
  const releases = (['postTikTokVideo', 'postInstagramMedia'] as const).map((name) => {
    api.reply(name, post())
    return api.hold(name)
  })
  await events.click(publishOf(tiktokForm()))
  await choose(instagramForm())
  await events.click(publishOf(instagramForm()))
  expect(await within(instagramForm()).findByRole('progressbar')).toBeVisible()
  expect(publishOf(instagramForm())).toBeDisabled()
  await goTo(events, 'Brands')
  expect(
    within(await screen.findByRole('region', { name: 'Uploads' })).getAllByRole('progressbar'),
  ).toHaveLength(2)
  for (const release of releases) release()
  await findAlert(TEXTS.uploadInitialized)
  await findAlert(TEXTS.uploadInitiated)
  await waitFor(() => expect(dock()).toBeNull())
})

describe('a log-out during an upload', () => {
  test('asks first, by keyboard, until nothing is left to ask', async () => {
    const events = await openForms()
    const release = api.hold('postTikTokVideo')
    await sendTikTok(events, largeFile())
    await sentCall('postTikTokVideo')
    const logOut = button('Log out')
    logOut.focus()
    await events.keyboard('{Enter}')
    const question = await screen.findByRole('group', { name: /^Cancel the upload and log out\?/ })
    expect(question).toHaveTextContent("good.mp4 hasn't finished uploading.")
    expect(button('Stay', question)).toHaveFocus()
    await events.keyboard('{Escape}')
    expect(logOutQuestion()).toBeNull()
    expect(logOut).toHaveFocus()

    await events.keyboard('{Enter}')
    expect(logOutQuestion()).toBeVisible()
    release()
    await waitFor(() => expect(logOutQuestion()).toBeNull())
    expect(logOut).toHaveFocus()
    expect((await alertOf(tiktokForm())).textContent).toBe(TEXTS.uploadInitialized)
  })

  test('in the menu of a phone cancels it, and tells the next user nothing', async () => {
    const events = await openForms()
    api.hold('postTikTokVideo')
    await sendTikTok(events, largeFile())
    await goTo(events, 'Queue')
    await events.click(button('Open the menu'))
    const drawer = await screen.findByRole('dialog')
    await events.click(await within(drawer).findByRole('button', { name: 'Log out' }))
    const question = await within(drawer).findByRole('group', { name: /^Cancel the upload and log out\?/ })
    await events.click(button('Log out', question))
    await findHeading('Login')
    await fillLogin(events, user().email, PASSWORD)
    await findHeading('Overview')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('everywhere names it and cancels it', async () => {
    api.reply('signOutEverywhere', undefined)
    const events = await openForms()
    api.hold('postTikTokVideo')
    await sendTikTok(events, largeFile())
    await sentCall('postTikTokVideo')
    await goTo(events, 'Settings')
    await events.click(await screen.findByRole('button', { name: 'Log out everywhere' }))
    const question = screen.getByRole('group', { name: /^Log out on every device/ })
    expect(question).toHaveTextContent('The upload of good.mp4 will be cancelled.')
    await events.click(button('Log out everywhere', question))
    await findHeading('Login')
    expect(api.calls('signOutEverywhere')).toHaveLength(1)
  })
})

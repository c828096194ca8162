import type { Locator, Page, Request, Route } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { livePosts } from '../../support/test-server.ts'
import { fixture, sampleVideo } from '../../support/sample.ts'
import {
  alert,
  chosen,
  expect,
  fillLogin,
  go,
  delayResponse,
  linkedBrand,
  logIn,
  PASSWORD,
  test,
} from '../support/fixtures.ts'
import type { Person, Reelay } from '../support/fixtures.ts'

const TITLE = 'Three ways to plate a tart'
const CAPTION = 'Fresh from the oven #bakery'

/** The forms of the Upload screen, by the names of their parts. */
const formsOf = (page: Page) => ({
  tiktok: page.getByRole('region', { name: 'TikTok video' }),
  instagram: page.getByRole('region', { name: 'Instagram video' }),
  file: page.getByRole('region', { name: 'Video file' }),
})
const video = (form: Locator) => form.getByLabel('Video file')
const publish = (form: Locator) => form.getByRole('button', { name: /^Publish to @/ })

/** The Upload screen of somebody with an account on each platform. */
async function atForms(page: Page, it: { reelay: Reelay; person: Person }) {
  const title = 'Northwind Bakery'
  const tiktok = await linkedBrand(it.reelay, it.person, { title, platform: 'tiktok' })
  const instagram = await linkedBrand(it.reelay, it.person, { title: 'Harbour', platform: 'instagram' })
  await logIn(page, it.person.email, '/dashboard/upload')
  const forms = formsOf(page)
  await expect(forms.tiktok.getByLabel('Who can see this video')).toHaveValue('Public')
  return { ...forms, accounts: { tiktok, instagram } }
}

async function type(forms: Pick<ReturnType<typeof formsOf>, 'tiktok' | 'instagram'>): Promise<void> {
  const { tiktok, instagram } = forms
  await tiktok.getByLabel('Title').fill(TITLE)
  await tiktok.getByLabel('Who can see this video').click()
  await tiktok.page().getByRole('option', { name: 'Friends Only' }).click()
  await tiktok.getByLabel('Allow duet').uncheck()
  await tiktok.getByLabel('Cover timestamp').fill('1500')
  await instagram.getByLabel('Caption').fill(CAPTION)
  await instagram.getByLabel('Share to feed').uncheck()
}

async function isTyped(forms: Pick<ReturnType<typeof formsOf>, 'tiktok' | 'instagram'>): Promise<void> {
  const { tiktok, instagram } = forms
  await expect(tiktok.getByLabel('Title')).toHaveValue(TITLE)
  await expect(tiktok.getByLabel('Who can see this video')).toHaveValue('Friends Only')
  await expect(tiktok.getByLabel('Allow duet')).not.toBeChecked()
  await expect(tiktok.getByLabel('Allow stitch')).toBeChecked()
  await expect(tiktok.getByLabel('Cover timestamp')).toHaveValue('1500 ms')
  await expect(instagram.getByLabel('Caption')).toHaveValue(CAPTION)
  await expect(instagram.getByLabel('Share to feed')).not.toBeChecked()
}

const drafts = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft ')))

test('a session that ends while a form is open loses nothing typed', async ({ page, person, reelay }) => {
  const forms = await atForms(page, { reelay, person })
  await type(forms)
  await video(forms.tiktok).setInputFiles(fixture('good.mp4'))
  await page.route('**/api/v1/platforms/**', (route) =>
    route.fulfill({ status: 401, json: { message: 'Log in again.', code: 'unauthorized' } }),
  )
  await publish(forms.tiktok).click()
  await expect(alert(page, 'Your session has ended. Log in to pick up where you left off.')).toBeVisible()
  await page.unroute('**/api/v1/platforms/**')

  await fillLogin(page, person.email, PASSWORD)
  await expect(page).toHaveURL('/dashboard/upload')
  await isTyped(forms)
  // The same level chosen again is no other.
  await forms.tiktok.getByLabel('Who can see this video').click()
  await page.getByRole('option', { name: 'Friends Only' }).click()
  await isTyped(forms)
  // The page itself was not loaded again, so that even the file is there, and one press sends it.
  await expect(forms.tiktok.getByText('good.mp4')).toBeVisible()
  await publish(forms.tiktok).click()
  await expect(forms.tiktok.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
})

test('a draft survives a reload until it is discarded or sent, or its user logs out', async ({
  page,
  person,
  reelay,
}) => {
  const forms = await atForms(page, { reelay, person })
  await type(forms)
  await video(forms.tiktok).setInputFiles(fixture('good.mp4'))
  await page.reload()
  await isTyped(forms)
  await expect(forms.tiktok.getByText('Choose good.mp4 again')).toBeVisible()
  await expect(video(forms.tiktok)).toHaveAccessibleDescription(/but not the video file\./)

  await test.step('discarded: asked first, Escape keeps', async () => {
    const discard = forms.instagram.getByRole('button', { name: 'Discard', exact: true })
    await discard.click()
    await page.keyboard.press('Escape')
    await expect(discard).toBeFocused()
    await discard.press('Enter')
    await forms.instagram.getByRole('button', { name: 'Discard draft' }).click()
    await expect(forms.instagram.getByLabel('Caption')).toHaveValue('')
    await expect(forms.instagram.getByRole('combobox', { name: 'Account' })).toBeFocused()
    expect((await drafts(page)).filter((key) => key.includes('instagram'))).toEqual([])
  })

  await test.step('sent', async () => {
    await video(forms.tiktok).setInputFiles(await chosen(sampleVideo().file))
    await publish(forms.tiktok).click()
    await expect(forms.tiktok.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
    await expect(forms.tiktok.getByLabel('Title')).toHaveValue('')
    expect(await drafts(page)).toEqual([])
  })

  await test.step('logged out', async () => {
    await forms.instagram.getByLabel('Caption').fill(CAPTION)
    expect(await drafts(page)).toHaveLength(1)
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
    expect(await drafts(page)).toEqual([])
    await logIn(page, person.email, '/dashboard/upload')
    await expect(forms.instagram.getByLabel('Caption')).toHaveValue('')
  })
})

test('an upload is shown on every screen, can be cancelled there, and warns before closing', async ({
  page,
  person,
  reelay,
}) => {
  const { tiktok, instagram } = await atForms(page, { reelay, person })
  const release = await delayResponse(page, '**/api/v1/platforms/**')
  await tiktok.getByLabel('Title').fill(TITLE)
  await video(tiktok).setInputFiles(fixture('good.mp4'))
  await publish(tiktok).click()
  // A bar of no length yet is none to the eye; its figures are.
  await expect(tiktok.getByText(/^\d+ % · /)).toBeVisible()
  await expect(tiktok.getByRole('button', { name: /^Publish/ })).toBeDisabled()
  const dock = page.getByRole('region', { name: 'Uploads' })
  await expect(dock).toBeHidden()

  await go(page, 'Queue')
  await expect(dock.getByRole('progressbar', { name: 'Upload of good.mp4' })).toBeAttached()
  await expect(dock).toContainText(/\d+ %.* of .* [kM]B/)
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()

  await dock.getByRole('button', { name: 'Cancel the upload of good.mp4' }).click()
  await expect(alert(page, 'Upload cancelled. Nothing was posted.')).toBeVisible()
  // At once: it closes by itself after a while.
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(dock).toBeHidden()

  await go(page, 'Upload')
  await expect(tiktok.getByLabel('Title')).toHaveValue(TITLE)
  await publish(tiktok).click()
  await video(instagram).setInputFiles(fixture('good.mp4'))
  await publish(instagram).click()
  await expect(instagram.getByRole('progressbar')).toBeAttached()
  await expect(publish(instagram)).toBeDisabled()
  await go(page, 'Brands')
  await expect(dock.getByRole('progressbar')).toHaveCount(2)
  release()
  await expect(alert(page, TEXTS.uploadInitialized)).toBeVisible()
  await expect(alert(page, TEXTS.uploadInitiated)).toBeVisible()
  await expect(dock).toBeHidden()
})

test('a log-out during an upload asks first, by keyboard and on a phone', async ({
  page,
  person,
  reelay,
}) => {
  const { tiktok } = await atForms(page, { reelay, person })
  await tiktok.getByLabel('Title').fill(TITLE)
  await video(tiktok).setInputFiles(fixture('good.mp4'))
  const release = await delayResponse(page, '**/api/v1/platforms/tiktok/video')
  await publish(tiktok).click()
  await expect(tiktok.getByRole('button', { name: 'Cancel' })).toBeVisible()
  const question = page.getByRole('group', { name: /^Cancel the upload and log out\?/ })
  const logOut = page.getByRole('button', { name: 'Log out' })

  await logOut.first().press('Enter')
  await expect(question).toContainText("good.mp4 hasn't finished uploading.")
  await expect(question.getByRole('button', { name: 'Stay' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await expect(logOut).toBeFocused()

  await test.step('once it has arrived there is nothing to ask', async () => {
    await page.keyboard.press('Enter')
    await expect(question).toBeVisible()
    release()
    await expect(question).toBeHidden()
    await expect(logOut).toBeFocused()
    await expect(tiktok.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
  })

  await page.setViewportSize({ width: 390, height: 844 })
  await page.unroute('**/api/v1/platforms/tiktok/video')
  await delayResponse(page, '**/api/v1/platforms/tiktok/video')
  await tiktok.getByLabel('Title').fill('Another')
  await video(tiktok).setInputFiles(await chosen(sampleVideo().file))
  await publish(tiktok).click()
  await page.getByRole('button', { name: 'Open the menu' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('button', { name: 'Log out' }).click()
  await drawer.getByRole('group').getByRole('button', { name: 'Log out' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
  // What one person was told is not for the next.
  await expect(page.getByRole('alert')).toHaveCount(0)
  expect((await person.call('listPosts')).items.map(({ text }) => text)).toEqual([TITLE])
})

test('an upload ends on a log-out everywhere, which asks first, or in another tab', async ({
  page,
  context,
  person,
  reelay,
}) => {
  const { tiktok } = await atForms(page, { reelay, person })
  const other = await context.newPage()
  // It is still opening when it logs out.
  const releaseLookup = await delayResponse(other, '**/accounts:lookup?*')
  const requested = other.waitForRequest('**/accounts:lookup?*')
  await other.goto('/dashboard/brands')
  await requested
  const release = await delayResponse(page, '**/api/v1/platforms/tiktok/video')
  const publishAndWait = async () => {
    await tiktok.getByLabel('Title').fill(TITLE)
    await video(tiktok).setInputFiles(fixture('good.mp4'))
    await publish(tiktok).click()
    await expect(tiktok.getByRole('button', { name: 'Cancel' })).toBeVisible()
  }
  const isLoggedOut = () => expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()

  await publishAndWait()
  await other.getByRole('button', { name: 'Log out' }).click()
  releaseLookup()
  await isLoggedOut()
  await other.close()

  // This tab was not the one that was left: it goes on where it was, without the draft.
  await fillLogin(page, person.email, PASSWORD)
  await expect(tiktok.getByLabel('Title')).toHaveValue('')
  await publishAndWait()
  await go(page, 'Settings')
  await page.getByRole('button', { name: 'Log out everywhere' }).click()
  const question = page.getByRole('group', { name: /^Log out on every device/ })
  await expect(question).toContainText('The upload of good.mp4 will be cancelled.')
  await question.getByRole('button', { name: 'Log out everywhere' }).click()
  await isLoggedOut()
  release()
  await logIn(page, person.email, '/dashboard/queue')
  await expect(page.getByText('No posts yet.')).toBeVisible()
})

test('the forms send the parts and the defaults of the specification', async ({ page, person, reelay }) => {
  const { tiktok, instagram, file, accounts } = await atForms(page, { reelay, person })
  const { file: sample, bytes } = sampleVideo()
  const send = async (form: Locator, label: string, button: string | RegExp): Promise<Part[]> => {
    const parts = await partsSent(page)
    await form.getByLabel(label, { exact: true }).setInputFiles(await chosen(sample))
    await form.getByRole('button', { name: button }).click()
    await expect(form.getByRole('alert')).toHaveText(/successfully!$/)
    return parts()
  }
  for (const input of [video(tiktok), video(instagram), file.getByLabel('Video', { exact: true })])
    await expect(input).toHaveAttribute('accept', 'video/*')

  await tiktok.getByLabel('Title').fill(TITLE)
  const toTikTok = await send(tiktok, 'Video file', /^Publish/)
  expect(toTikTok.map(({ name }) => name)).toEqual(['post_info', 'source_info', 'accountId', 'videoFile'])
  expect(toTikTok.slice(0, 3).map(({ value }) => JSON.parse(value) as unknown)).toEqual([
    {
      title: TITLE,
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_duet: false,
      disable_comment: false,
      disable_stitch: false,
      video_cover_timestamp_ms: 0,
    },
    { source: 'FILE_UPLOAD', video_size: bytes, chunk_size: bytes, total_chunk_count: 1 },
    accounts.tiktok.accountId,
  ])

  await expect(publish(instagram)).toBeDisabled()
  const toInstagram = await send(instagram, 'Video file', /^Publish/)
  expect(toInstagram.map(({ name }) => name)).toEqual(['post_info', 'accountId', 'video'])
  expect(toInstagram.slice(0, 2).map(({ value }) => JSON.parse(value) as unknown)).toEqual([
    { caption: '', media_type: 'VIDEO', share_to_feed: true },
    accounts.instagram.accountId,
  ])

  const release = await delayResponse(page, '**/api/v1/videos')
  const storing = send(file, 'Video', 'Upload video')
  await expect(file.getByRole('progressbar')).toBeAttached()
  await expect(file.getByRole('button', { name: 'Upload video' })).toBeDisabled()
  release()
  const stored = await storing
  expect(stored.map(({ name }) => name)).toEqual(['file'])
  await expect(file.getByRole('alert')).toHaveText(TEXTS.uploadInitiated)
})

test('a failed upload shows its reason, or the fallback text where there is none', async ({
  page,
  person,
  reelay,
}) => {
  const { tiktok, instagram, file } = await atForms(page, { reelay, person })
  await tiktok.getByLabel('Title').fill(TITLE)
  for (const form of [tiktok, instagram]) await video(form).setInputFiles(fixture('good.mp4'))
  await file.getByLabel('Video', { exact: true }).setInputFiles(fixture('good.mp4'))
  const buttons = [publish(tiktok), publish(instagram), file.getByRole('button', { name: 'Upload video' })]
  const failsWith = async (answer: Parameters<Route['fulfill']>[0], texts: readonly string[]) => {
    await page.route(isUpload, (route) =>
      hasFile(route.request()) ? route.fulfill(answer) : route.continue(),
    )
    for (const button of buttons) await button.click()
    for (const [index, form] of [tiktok, instagram, file].entries())
      await expect(form.getByRole('alert')).toHaveText(texts[index] ?? '')
    await page.unroute(isUpload)
  }
  await failsWith({ status: 500, body: '' }, [
    'Failed to upload video. Check console for details.',
    'Failed to upload video: Unknown error occurred',
    'Failed to upload video: Unknown error occurred',
  ])
  await failsWith({ status: 503, json: { message: '', code: 'unavailable' } }, [
    TEXTS.uploadFailed,
    TEXTS.uploadFailedPrefix + TEXTS.unknownError,
    TEXTS.uploadFailedPrefix + TEXTS.unknownError,
  ])
  const message = 'The disk is full.'
  await failsWith({ status: 503, json: { message, code: 'unavailable' } }, [
    `Failed to upload video. ${message}`,
    `Failed to upload video: ${message}`,
    `Failed to upload video: ${message}`,
  ])
  // What the server says of a field stands beside that field.
  const errors = { text: ['Not this text.'] }
  const invalid = 'Check what is marked.'
  await failsWith({ status: 422, json: { message: invalid, code: 'invalid', errors } }, [
    `Failed to upload video. ${invalid}`,
    `Failed to upload video: ${invalid}`,
    `Failed to upload video: ${invalid}`,
  ])
  await expect(tiktok.getByLabel('Title')).toHaveAccessibleDescription(/Not this text\./)
  await expect(instagram.getByLabel('Caption')).toHaveAccessibleDescription(/Not this text\./)
})

test('an audit form preselects nothing, and an unaudited app offers Private only and says why', async ({
  page,
  person,
  reelay,
}) => {
  // The server's settings as TIKTOK_AUDIT_FORM=true has them.
  await page.route('**/api/v1/settings', async (route) => {
    const answer = await route.fetch()
    const settings = (await answer.json()) as { platforms: { audit_form: boolean }[] } // the contract's
    await route.fulfill({
      response: answer,
      json: { ...settings, platforms: settings.platforms.map((one) => ({ ...one, audit_form: true })) },
    })
  })
  await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email, '/dashboard/upload')
  const { tiktok } = formsOf(page)
  const privacy = tiktok.getByLabel('Who can see this video')
  await expect(privacy).toHaveValue('')
  for (const label of ['Allow comments', 'Allow duet', 'Allow stitch'])
    await expect(tiktok.getByLabel(label)).not.toBeChecked()
  await expect(tiktok.getByText(TEXTS.tiktokDeclaration)).toBeVisible()
  await tiktok.getByLabel('Title').fill(TITLE)
  await video(tiktok).setInputFiles(fixture('good.mp4'))
  await publish(tiktok).click()
  await expect(privacy).toHaveAccessibleDescription('Choose who can see this video.')
  await expect(privacy).toBeFocused()
  await privacy.click()
  await expect(page.getByRole('option')).toHaveText(['Public', 'Friends Only', 'Private'])

  // What the server answers while TIKTOK_APP_AUDITED is false.
  await page.unroute('**/api/v1/settings')
  const notice = "TikTok has not audited this server's app yet."
  await page.route('**/api/v1/accounts/*/options', async (route) => {
    const answer = await route.fetch()
    const options = (await answer.json()) as object
    await route.fulfill({ response: answer, json: { ...options, privacy_levels: ['SELF_ONLY'], notice } })
  })
  await page.reload()
  await expect(tiktok.getByText(notice)).toBeVisible()
  await expect(privacy).toHaveValue('Private')
  await privacy.click()
  await expect(page.getByRole('option')).toHaveText(['Private'])
})

test('a TikTok post is made by keyboard alone, on a phone too', async ({ page, person, reelay }) => {
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await page.setViewportSize({ width: 390, height: 844 })
  await logIn(page, person.email, '/dashboard/upload')
  const { tiktok } = formsOf(page)
  const privacy = tiktok.getByLabel('Who can see this video')
  await expect(privacy).toHaveValue('Public')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)

  const press = (...keys: readonly string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())
  await tiktok.getByRole('combobox', { name: 'Account' }).focus()
  await press('Tab')
  await expect(video(tiktok)).toBeFocused()
  await video(tiktok).setInputFiles(await chosen(sampleVideo().file))
  await expect(tiktok.getByText('0:04').or(tiktok.getByText('fps'))).toBeVisible()
  await press('Tab')
  await expect(tiktok.getByRole('button', { name: /^Remove/ })).toBeFocused()
  await press('Tab')
  await page.keyboard.type(TITLE)
  await press('Tab')
  await expect(privacy).toBeFocused()
  await press('ArrowDown')
  const level = page.getByRole('option', { name: 'Private' })
  await expect(level).toBeVisible()
  await expect(async () => {
    await press('ArrowDown')
    await expect(level).toHaveAttribute('data-combobox-selected', 'true', { timeout: 500 })
  }).toPass()
  await press('Enter')
  await expect(privacy).toHaveValue('Private')
  await press('Tab', 'Space')
  await expect(tiktok.getByLabel('Allow comments')).not.toBeChecked()
  await press('Tab', 'Tab', 'Tab')
  await expect(tiktok.getByLabel('Cover timestamp')).toBeFocused()
  await press('Tab', 'Tab')
  await expect(publish(tiktok)).toBeFocused()
  await press('Enter')
  await expect(tiktok.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
  await expect
    .poll(async () => (await livePosts(reelay)).filter(({ account }) => account === creator))
    .toMatchObject([{ text: TITLE, options: { privacy_level: 'SELF_ONLY', disable_comment: true } }])
})

test('missing, loading and failed accounts are each explained with what to do', async ({
  page,
  person,
  reelay,
}) => {
  const { tiktok, instagram } = formsOf(page)
  const release = await delayResponse(page, '**/api/v1/accounts**')
  await logIn(page, person.email, '/dashboard/upload')
  await expect(tiktok.getByText('Loading')).toBeAttached()
  release()
  await expect(tiktok.getByText('No TikTok account is linked yet.')).toBeVisible()
  await expect(instagram.getByText('No Instagram account is linked yet.')).toBeVisible()
  await tiktok.getByRole('link', { name: 'Go to accounts' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()

  await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await page.route('**/api/v1/accounts**', refuse)
  await page.goto('/dashboard/upload')
  await expect(tiktok.getByRole('alert')).toContainText('Something broke.')
  await page.unroute('**/api/v1/accounts**')
  await page.route('**/api/v1/accounts/*/options', refuse)
  await tiktok.getByRole('button', { name: 'Try again' }).click()

  await expect(tiktok.getByRole('alert')).toContainText("Couldn't load this account's options.")
  await expect(publish(tiktok)).toBeDisabled()
  await tiktok.getByLabel('Title').fill(TITLE)
  await page.unroute('**/api/v1/accounts/*/options')
  await tiktok.getByRole('button', { name: 'Try again' }).click()
  await expect(tiktok.getByLabel('Who can see this video')).toHaveValue('Public')
  await expect(tiktok.getByLabel('Title')).toHaveValue(TITLE)
})

const isUpload = (url: URL) => /\/api\/v1\/(platforms|videos)/.test(url.pathname)

const refuse = (route: Route) =>
  route.fulfill({ status: 500, json: { message: 'Something broke.', code: 'internal' } })

type Part = { readonly name: string; readonly value: string }

const hasFile = (request: Request): boolean =>
  request.headers()['content-type']?.startsWith('multipart/form-data') === true &&
  !request.url().endsWith('/poster')

/** Looks on while the page sends its next form: the parts in order; of a file only its name. */
async function partsSent(page: Page): Promise<() => Promise<Part[]>> {
  const seen = await page.evaluateHandle(() => {
    const parts: { name: string; value: string }[] = []
    // oxlint-disable-next-line typescript/unbound-method -- it is called on its own request below
    XMLHttpRequest.prototype.send = new Proxy(XMLHttpRequest.prototype.send, {
      apply: (send, request, [body]: [unknown]) => {
        if (body instanceof FormData && parts.length === 0)
          for (const [name, value] of body)
            parts.push({ name, value: typeof value === 'string' ? value : value.name })
        return Reflect.apply(send, request, [body]) as unknown
      },
    })
    return parts
  })
  return () => seen.jsonValue()
}

import type { Page, Route } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { livePosts, until } from '../../support/test-server.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  chosen,
  delayResponse,
  expect,
  fillLogin,
  go,
  linkedBrand,
  logIn,
  misbehave,
  PASSWORD,
  test,
  type Person,
  type Reelay,
} from '../support/fixtures.ts'

const UPLOAD = '/dashboard/upload'
const SEND = '**/api/v1/platforms/tiktok/video'
const WITHDRAW = '**/api/v1/posts/withdraw'

test('an upload that is unanswered or cancelled is posted at most once, also after a reload', async ({
  page,
  person,
  reelay,
}) => {
  const { creator } = await linkedTikTok(reelay, person)
  await logIn(page, person.email, UPLOAD)
  const form = formOn(page, person)

  await test.step('unanswered, and found when the connection is back', async () => {
    await form.fill('Tart')
    await page.route(SEND, loseAnswer)
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    await expect(form.title).toHaveValue('')
    await page.unroute(SEND)
    const [post, ...more] = await form.posted('Tart')
    expect(more).toEqual([])
    expect(post?.deliveries.map(({ status }) => status)).not.toContain('cancelled')
  })

  await test.step('unanswered, then a reload: the draft is there, but not the file', async () => {
    await form.part.getByLabel('Allow duet').uncheck()
    await form.losesAnswer('Pie')
    await page.reload()
    await expect(form.title).toHaveValue('Pie')
    await expect(form.part.getByLabel('Allow duet')).not.toBeChecked()
    await expect(form.part.getByLabel('Allow stitch')).toBeChecked()
    await expect(form.part.getByText(`Choose ${file.name} again`)).toBeVisible()
    await expect(form.video).toHaveAccessibleDescription(/but not the video file\./)
    await form.video.setInputFiles(await chosen(file))
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    expect(await form.posted('Pie')).toHaveLength(1)
    await expect.poll(() => liveTexts(reelay, creator)).toEqual(['Pie', 'Tart'])
  })

  await test.step('cancelled before it arrives: no post, however late it arrives', async () => {
    await form.fill('Bun')
    // What left the browser is still on its way through a proxy when its sender gives up.
    const late = Promise.withResolvers<number>()
    const release = await delayResponse(page, SEND, async (route) =>
      late.resolve((await route.fetch()).status()),
    )
    await form.publish()
    // The focus comes back from a question that is withdrawn.
    const logOut = page.getByRole('button', { name: 'Log out' })
    await logOut.press('Enter')
    await expect(page.getByRole('button', { name: 'Stay' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(logOut).toBeFocused()
    await form.cancel()
    await expect(form.alert).toHaveText('Upload cancelled. Nothing was posted.')
    release()
    expect(await late.promise).toBe(409)
    expect(await form.posted('Bun')).toEqual([])
    await page.unroute(SEND)
  })

  await test.step('cancelled after its last byte: its post is cancelled too, and can be sent anew', async () => {
    // It does not go out by itself meanwhile.
    await misbehave(reelay, {
      platform: 'tiktok',
      account: creator,
      call: 'init',
      fault: 'status_500',
      times: 3,
    })
    await page.route(SEND, async (route) => void (await route.fetch()))
    await form.publish()
    await until('the post to be made', async () => (await form.posted('Bun')).length === 1)
    await form.cancel()
    await expect(form.alert).toHaveText(
      'The upload had already finished, so its post was cancelled too. Nothing was posted.',
    )
    await page.unroute(SEND)
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    const posts = await form.posted('Bun')
    expect(posts.map(({ deliveries: [one] }) => one?.status === 'cancelled')).toEqual([false, true])
  })
})

test('with two tabs open an upload ends on a log-out in the other, and a post is sent once', async ({
  page,
  context,
  person,
  reelay,
}) => {
  await linkedTikTok(reelay, person)
  await logIn(page, person.email, UPLOAD)
  const form = formOn(page, person)
  const tab = await context.newPage()
  const release = await delayResponse(page, SEND)
  await form.fill('Bun')
  await form.publish()
  await expect(form.part.getByRole('button', { name: 'Cancel' })).toBeVisible()

  await test.step('closing its tab asks first', async () => {
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
  })

  await test.step('a tab that is still opening logs out', async () => {
    const releaseLookup = await delayResponse(tab, '**/accounts:lookup?*')
    const requested = tab.waitForRequest('**/accounts:lookup?*')
    await tab.goto(UPLOAD)
    await requested
    await tab.getByRole('button', { name: 'Log out' }).click()
    releaseLookup()
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
    release()
    await page.unroute(SEND)
  })

  await test.step('the other tab goes on where it was, without the draft', async () => {
    await fillLogin(page, person.email, PASSWORD)
    await expect(form.title).toHaveValue('')
    expect(await form.posted('Bun')).toEqual([])
  })

  await test.step('an unanswered post is sent again from the other tab, and posted once', async () => {
    await expect(tab.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
    await go(tab, 'Upload')
    const other = formOn(tab, person)
    // Open before the first tab sends anything.
    await expect(other.title).toBeEditable()
    await form.losesAnswer('Tart')
    await other.fill('Tart')
    await other.publish()
    await expect(other.alert).toHaveText(TEXTS.uploadInitialized)
    expect(await form.posted('Tart')).toHaveLength(1)
  })
})

const linkedTikTok = (reelay: Reelay, person: Person) =>
  linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })

const liveTexts = async (reelay: Reelay, creator: string) =>
  (await livePosts(reelay)).flatMap((it) => (it.account === creator ? it.text : [])).toSorted()

/** The server takes it, and the browser never hears of it. */
const loseAnswer = async (route: Route) => {
  await route.fetch()
  await route.abort('connectionreset')
}

const { file } = sampleVideo()

function formOn(page: Page, person: Person) {
  const part = page.getByRole('region', { name: 'TikTok video' })
  const title = part.getByLabel('Title')
  const video = part.getByLabel('Video file')
  const publish = () => part.getByRole('button', { name: /^Publish to @/ }).click()
  const fill = async (text: string) => {
    await title.fill(text)
    // Chosen anew, the file has another time, as on a phone.
    await video.setInputFiles(await chosen(file))
  }
  const posted = async (text: string) =>
    (await person.call('listPosts')).items.filter((post) => post.text === text)
  return {
    part,
    title,
    video,
    alert: part.getByRole('alert'),
    fill,
    publish,
    posted,
    cancel: () => part.getByRole('button', { name: 'Cancel' }).click(),
    /** It is posted, and the browser can't learn that. */
    losesAnswer: async (text: string) => {
      await fill(text)
      await page.route(SEND, loseAnswer)
      await page.route(WITHDRAW, (route) => route.abort('connectionreset'))
      await publish()
      await expect(part.getByText("it can't be posted twice")).toBeVisible()
      await page.unroute(SEND)
      await page.unroute(WITHDRAW)
      expect(await posted(text)).toHaveLength(1)
    },
  }
}

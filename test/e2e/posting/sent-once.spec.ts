import type { Page, Route } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { livePosts, until } from '../../support/test-server.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  chosen,
  delayResponse,
  expect,
  fillLogin,
  linkedBrand,
  logIn,
  PASSWORD,
  test,
  type Person,
  type Reelay,
} from '../support/fixtures.ts'

const UPLOAD = '/dashboard/upload'
const SEND = '**/api/v1/platforms/tiktok/video'

test('an upload that is unanswered or cancelled is posted at most once, also after a reload', async ({
  page,
  person,
  reelay,
}) => {
  const { creator } = await linkedTikTok(reelay, person)
  await logIn(page, person.email, UPLOAD)
  const form = formOn(page, person)

  await test.step('unanswered, and sent again', async () => {
    await form.losesAnswer('Tart')
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    await expect(form.title).toHaveValue('')
    expect(await form.posted('Tart')).toHaveLength(1)
  })

  await test.step('unanswered, then a reload: the form is empty, and the same sent again is no second post', async () => {
    await form.losesAnswer('Pie')
    await page.reload()
    await expect(form.title).toHaveValue('')
    await form.fill('Pie')
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    expect(await form.posted('Pie')).toHaveLength(1)
    await expect.poll(() => liveTexts(reelay, creator)).toEqual(['Pie', 'Tart'])
  })

  await test.step('unanswered, then changed: it is posted as well only if its user wants both', async () => {
    await form.losesAnswer('Roll')
    await form.title.fill('Rolls')
    await form.publish()
    await expect(form.alert).toHaveText(/^What you sent before did arrive, so this was not sent\./)
    expect(await form.posted('Rolls')).toEqual([])
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    expect(await form.posted('Rolls')).toHaveLength(1)
  })

  await test.step('cancelled after its last byte: it may be posted, and sent again is no second post', async () => {
    await form.fill('Bun')
    await page.route(SEND, async (route) => void (await route.fetch()))
    await form.publish()
    await until('the post to be made', async () => (await form.posted('Bun')).length === 1)
    await form.cancel()
    await expect(form.alert).toHaveText(/it may be posted all the same: check the queue\.$/)
    await page.unroute(SEND)
    await form.publish()
    await expect(form.alert).toHaveText(TEXTS.uploadInitialized)
    expect(await form.posted('Bun')).toHaveLength(1)
  })
})

test('an upload ends on a log-out in another tab', async ({ page, context, person, reelay }) => {
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

  await test.step('after the next log-in the form is empty', async () => {
    await fillLogin(page, person.email, PASSWORD)
    await expect(form.title).toHaveValue('')
    expect(await form.posted('Bun')).toEqual([])
  })
})

const linkedTikTok = (reelay: Reelay, person: Person) =>
  linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })

const liveTexts = async (reelay: Reelay, creator: string) =>
  (await livePosts(reelay)).flatMap((post) => (post.account === creator ? post.text : [])).toSorted()

/** The server accepts it, and the browser gets no answer. */
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
    // A file that is chosen again has another time, as on a phone.
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
    /** It is posted, and the browser cannot learn that. */
    losesAnswer: async (text: string) => {
      await fill(text)
      await page.route(SEND, loseAnswer)
      await publish()
      await expect(part.getByText("it can't be posted twice")).toBeVisible()
      await page.unroute(SEND)
      expect(await posted(text)).toHaveLength(1)
    },
  }
}

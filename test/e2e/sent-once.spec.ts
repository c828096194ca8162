import type { Page } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { sampleVideo } from '../sample.ts'
import { chosen, expect, linkedBrand, logIn, test, type Person, type Reelay } from './fixtures.ts'

const SEND = '**/api/v1/platforms/tiktok/video'

test('what got no answer is posted once when it is sent again after another text was tried, and after a discard', async ({
  page,
  person,
  reelay,
}) => {
  const form = await atForm(page, { person, reelay })
  await form.losesAnswer('Tart')
  await page.route(SEND, (route) =>
    route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy.' } }),
  )
  await form.title.fill('Tarts')
  await form.publish()
  await expect(form.part.getByRole('alert')).toContainText('Busy.')
  await page.unroute(SEND)
  await form.part.getByRole('button', { name: 'Discard', exact: true }).click()
  await form.part.getByRole('button', { name: 'Discard draft' }).click()
  await form.sendsOnce('Tart')
})

test('what got no answer is posted once when it is sent again from another tab, and after a reload', async ({
  page,
  context,
  person,
  reelay,
}) => {
  const form = await atForm(page, { person, reelay })
  // Open before the first tab sends anything.
  const other = formOn(await context.newPage(), person)
  await other.open()
  await form.losesAnswer('Tart')
  await other.sendsOnce('Tart')

  await form.losesAnswer('Pie')
  await page.reload()
  await form.sendsOnce('Pie')
})

/** TikTok's form, of somebody with an account there. */
async function atForm(page: Page, { person, reelay }: { person: Person; reelay: Reelay }) {
  await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email)
  const form = formOn(page, person)
  await form.open()
  return form
}

const { file } = sampleVideo()

function formOn(page: Page, person: Person) {
  const part = page.getByRole('region', { name: 'TikTok video' })
  const title = part.getByLabel('Title')
  const publish = () => part.getByRole('button', { name: /^Publish to @/ }).click()
  const fill = async (text: string) => {
    await title.fill(text)
    // Chosen anew, the file has another time, as on a phone.
    await part.getByLabel('Video file').setInputFiles(await chosen(file))
  }
  const posted = async (text: string) =>
    (await person.call('listPosts')).items.filter((post) => post.text === text)
  return {
    part,
    title,
    publish,
    open: async () => {
      await page.goto('/dashboard/upload')
      await expect(title).toBeEditable()
    },
    /** The server takes it, and the browser never hears of it. */
    losesAnswer: async (text: string) => {
      await fill(text)
      await page.route(SEND, async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await publish()
      await expect(part.getByText('it cannot be posted twice')).toBeVisible()
      await page.unroute(SEND)
      expect(await posted(text)).toHaveLength(1)
    },
    sendsOnce: async (text: string) => {
      await fill(text)
      await publish()
      await expect(part.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
      expect(await posted(text)).toHaveLength(1)
    },
  }
}

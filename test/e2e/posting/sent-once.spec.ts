import type { Page } from '@playwright/test'
import { TEXTS } from '#contract/texts.ts'
import { livePosts, until } from '../../support/test-server.ts'
import { delivered } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import {
  ban,
  chosen,
  expect,
  delayResponse,
  linkedBrand,
  logIn,
  misbehave,
  test,
  type Person,
  type Reelay,
} from '../support/fixtures.ts'

const UPLOAD = '/dashboard/upload'
const SEND = '**/api/v1/platforms/tiktok/video'
const WITHDRAW = '**/api/v1/posts/withdraw'

test('an unanswered post is published once, however it is sent again', async ({
  page,
  context,
  person,
  reelay,
}) => {
  const form = await atForm(page, { person, reelay })
  // Open before the first tab sends anything.
  const tab = await context.newPage()
  await tab.goto(UPLOAD)
  const other = formOn(tab, person)
  await expect(other.title).toBeEditable()

  await test.step('found when the connection is back', async () => {
    await form.fill('Bun')
    await page.route(SEND, async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await form.publish()
    await expect(form.part.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
    await expect(form.title).toHaveValue('')
    await page.unroute(SEND)
    const [post, ...more] = await form.posted('Bun')
    expect(more).toEqual([])
    expect(post?.deliveries.map(({ status }) => status)).not.toContain('cancelled')
  })

  await test.step('from another tab', async () => {
    await form.losesAnswer('Tart')
    await other.sendsOnce('Tart')
    await tab.close()
  })

  await test.step('after a reload', async () => {
    await form.losesAnswer('Pie')
    await page.reload()
    await form.sendsOnce('Pie')
  })

  await test.step('after another text and a discard', async () => {
    await form.losesAnswer('Cake')
    await page.route(SEND, (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy.' } }),
    )
    await form.title.fill('Cakes')
    await form.publish()
    await expect(form.part.getByRole('alert')).toContainText('Busy.')
    await page.unroute(SEND)
    await form.part.getByRole('button', { name: 'Discard', exact: true }).click()
    await form.part.getByRole('button', { name: 'Discard draft' }).click()
    await form.sendsOnce('Cake')
  })

  await test.step('after a log-out', async () => {
    await form.losesAnswer('Secret tart')
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
    const kept = await page.evaluate(() => JSON.stringify(localStorage))
    expect(kept).not.toMatch(/secret tart/i)
    await logIn(page, person.email, UPLOAD)
    await form.sendsOnce('Secret tart')
  })
})

test('resending a post reports what became of it: cancelled, deleted or failed', async ({
  page,
  person,
  reelay,
}) => {
  const form = await atForm(page, { person, reelay })
  const { ofTikTok } = form

  await test.step('cancelled: it can be sent once more', async () => {
    await misbehave(reelay, { ...ofTikTok, call: 'init', fault: 'status_500', times: 3 })
    await form.losesAnswer('Tart')
    const [post] = await form.posted('Tart')
    await person.call('cancelDelivery', { params: { deliveryId: post?.deliveries[0]?.delivery_id ?? 0 } })
    await form.publish()
    await expect(form.part.getByRole('alert')).toContainText(
      'its post was cancelled. Publish again to create a new post',
    )
    await expect(form.title).toHaveValue('Tart')
    await form.publish()
    await expect(form.part.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
    expect(await form.posted('Tart')).toHaveLength(2)
  })

  await test.step('deleted', async () => {
    await misbehave(reelay, { ...ofTikTok, call: 'init', fault: 'status_500', times: 3 })
    await form.losesAnswer('Pie')
    const [post] = await form.posted('Pie')
    await person.call('deletePost', { params: { postId: post?.post_id ?? 0 } })
    await form.publish()
    await expect(form.part.getByRole('alert')).toContainText('have since deleted the post')
    expect(await form.posted('Pie')).toHaveLength(0)
  })

  await test.step('failed: it is not sent again by this', async () => {
    await ban(reelay, ofTikTok.account)
    await form.losesAnswer('Cake')
    const [post] = await form.posted('Cake')
    if (!post) throw new Error('It was not made.')
    await delivered(person, post, ['failed'])
    await form.publish()
    await expect(form.part.getByRole('alert')).toContainText(
      'its post failed. TikTok has banned this account',
    )
    await expect(form.part.getByRole('link', { name: 'See it in the queue' })).toBeVisible()
    expect(await form.posted('Cake')).toHaveLength(1)
  })
})

test.describe('an upload that is cancelled', () => {
  test('before its post goes out posts nothing, and promises no more than is known', async ({
    page,
    person,
    reelay,
  }) => {
    const form = await atForm(page, { person, reelay })

    await test.step('before it arrives: no post, however late it arrives', async () => {
      await form.fill('Bun')
      // What left the browser is still on its way through a proxy when its sender gives up.
      const late = Promise.withResolvers<number>()
      const release = await delayResponse(page, SEND, async (route) =>
        late.resolve((await route.fetch()).status()),
      )
      await form.publish()
      await cancel(form)
      await expect(form.part.getByRole('alert')).toHaveText('Upload cancelled. Nothing was posted.')
      release()
      expect(await late.promise).toBe(409)
      expect(await form.posted('Bun')).toEqual([])
      await page.unroute(SEND)
    })

    await test.step('while the server is unreachable: published once when resent', async () => {
      await form.fill('Pie')
      await answersNever(page)
      await page.route(WITHDRAW, (route) => route.abort('connectionreset'))
      await form.publish()
      await until('the post to be made', async () => (await form.posted('Pie')).length === 1)
      await cancel(form)
      await expect(form.part).toContainText('it may have arrived')
      await expect(form.part).toContainText("it can't be posted twice")
      await page.unroute(SEND)
      await page.unroute(WITHDRAW)
      await form.sendsOnce('Pie')
    })

    await test.step('after its last byte: its post is cancelled too, and can be sent anew', async () => {
      // It does not go out by itself meanwhile.
      await misbehave(reelay, { ...form.ofTikTok, call: 'init', fault: 'status_500', times: 3 })
      await form.fill('Tart')
      await answersNever(page)
      await form.publish()
      await until('the post to be made', async () => (await form.posted('Tart')).length === 1)
      await cancel(form)
      await expect(form.part.getByRole('alert')).toHaveText(
        'The upload had already finished, so its post was cancelled too. Nothing was posted.',
      )
      await page.unroute(SEND)
      await form.publish()
      await expect(form.part.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
      const posts = await form.posted('Tart')
      expect(posts.map(({ deliveries: [one] }) => one?.status === 'cancelled')).toEqual([false, true])
    })
  })

  test('after its post is published says so, links it, and publishes nothing twice', async ({
    page,
    person,
    reelay,
  }) => {
    const form = await atForm(page, { person, reelay })
    await form.isLiveUnheard('Tart')
    await cancel(form)
    await expect(form.part.getByRole('alert')).toContainText('can no longer be cancelled')
    await expect(form.part.getByRole('link', { name: 'See it in the queue' })).toBeVisible()
    await page.unroute(SEND)
    await form.publish()
    await expect(form.part.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
    const live = (await livePosts(reelay)).filter(({ account }) => account === form.ofTikTok.account)
    expect(live).toHaveLength(1)

    await test.step('by a log-out: the user stays logged in to read it', async () => {
      await form.isLiveUnheard('Pie')
      const leave = page.getByRole('button', { name: 'Log out' })
      await leave.click()
      await page
        .getByRole('group', { name: /^Cancel the upload/ })
        .getByRole('button', { name: 'Log out' })
        .click()
      await expect(form.part.getByRole('alert')).toContainText('can no longer be cancelled')
      await expect(leave).toBeFocused()
      await leave.click()
      await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
    })
  })
})

/** The server takes what is sent and answers at once; the browser goes on waiting. */
const answersNever = (page: Page) => page.route(SEND, async (route) => void (await route.fetch()))

/** TikTok's form, of somebody with an account there. */
async function atForm(page: Page, { person, reelay }: { person: Person; reelay: Reelay }) {
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind Bakery', platform: 'tiktok' })
  await logIn(page, person.email, UPLOAD)
  const form = formOn(page, person)
  await expect(form.title).toBeEditable()
  return { ...form, ofTikTok: { platform: 'tiktok', account: creator } as const }
}
type Form = ReturnType<typeof formOn>
const cancel = (form: Form) => form.part.getByRole('button', { name: 'Cancel' }).click()

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
    fill,
    publish,
    posted,
    /** The server takes it, and the browser never hears of it. */
    losesAnswer: async (text: string) => {
      await fill(text)
      await page.route(SEND, async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await page.route(WITHDRAW, (route) => route.abort('connectionreset'))
      await publish()
      await expect(part.getByText("it can't be posted twice")).toBeVisible()
      await page.unroute(SEND)
      await page.unroute(WITHDRAW)
      expect(await posted(text)).toHaveLength(1)
    },
    /** It is live, and the browser goes on waiting for the server's answer. */
    isLiveUnheard: async (text: string) => {
      await fill(text)
      await answersNever(page)
      await publish()
      await until('the post to be live', async () => {
        const [post] = await posted(text)
        return post?.deliveries[0]?.status === 'published'
      })
    },
    sendsOnce: async (text: string) => {
      await fill(text)
      await publish()
      await expect(part.getByRole('alert')).toHaveText(TEXTS.uploadInitialized)
      expect(await posted(text)).toHaveLength(1)
    },
  }
}

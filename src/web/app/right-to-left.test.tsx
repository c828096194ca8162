import { act, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { CalendarPost } from '#contract/planning/calendar.ts'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, professional } from '#web/testing/composer.ts'
import * as data from '#web/testing/data.ts'
import { renderSignedIn } from '#web/testing/render-app.tsx'

const NAME = 'קפה לונה'
const FIELDS = ':is(textarea, input[type="text"], input[type="search"]):not([aria-hidden])'
const HEBREW = /[\u0590-\u05FF]/

const account = data.account({ platform: 'instagram', username: null, display_name: NAME })
const waiting = data.delivery({
  username: null,
  display_name: NAME,
  status: 'scheduled',
  published_at: null,
  due_at: '2099-12-24T18:30:00.000Z',
})
const post = data.post({
  text: NAME,
  brand_title: NAME,
  publish_at: waiting.due_at,
  deliveries: [waiting, { ...waiting, delivery_id: 2 }],
  video: { ...data.post().video, filename: `${NAME}.mp4` },
})

function answerInHebrew(): void {
  answerComposer()
  api.reply('listBrands', [data.brand({ title: NAME, linkedAccounts: 1 })])
  api.reply('listAccounts', [account])
  api.reply('getAccountOptions', professional)
  api.reply('listBlockers', [
    { kind: 'paused_account', account, posts: 4 },
    { kind: 'paused_brand', brand_id: 1, name: NAME, paused_until: null, posts: 4 },
  ])
  api.reply('listPosts', ({ query }) => data.posts(query['status'] === 'upcoming' ? [post] : []))
  api.reply('getPost', { ...post, events: [], targets: [] })
  api.reply('getOverview', data.overview({ next: { posts: [post], total: 1 } }))
  api.reply('listVideos', data.videosPage(data.video({ filename: `${NAME}.mp4`, brand_id: 1, tags: [NAME] })))
  api.reply('getLibrary', {
    videos: 1,
    unused: 0,
    tags: [{ tag: NAME, videos: 1 }],
    storage: { used_bytes: 1, quota_bytes: null },
  })
  api.reply('getCalendar', {
    timezone: 'Europe/Lisbon',
    posts: [
      CalendarPost.parse({
        post_id: 1,
        version: 1,
        timezone: 'Europe/Lisbon',
        at: new Date().toISOString(),
        last_at: new Date().toISOString(),
        post_at: new Date().toISOString(),
        text: NAME,
        poster_url: null,
        brand_id: 1,
        marks: [],
        slot: null,
        status: 'scheduled',
        settled: false,
        held_for: null,
        fixed: null,
      }),
    ],
    drafts: [],
    slots: [],
    more: false,
    more_slots: false,
  })
}

const TITLES = {
  overview: 'Overview',
  queue: 'Queue',
  'posts/1': NAME,
  calendar: 'Calendar',
  library: 'Library',
  accounts: 'Accounts',
  brands: 'Brands',
  compose: 'New post',
}

/** Texts whose direction would be taken from the English around them. A native option is a paragraph of its own. */
function textsWithoutDirection(): string[] {
  const found: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent ?? ''
    const isIsolated = node.parentElement?.closest('bdi, [dir="auto"], [aria-hidden="true"], option') !== null
    if (HEBREW.test(text) && !isIsolated) found.push(text)
  }
  for (const field of document.querySelectorAll(FIELDS))
    if (field.getAttribute('dir') !== 'auto') found.push(field.outerHTML)
  return found
}

test('names and captions keep their own direction on every screen, and so does what is typed', async () => {
  answerInHebrew()
  await renderSignedIn('/dashboard/overview')
  const found: Record<string, string[]> = {}
  for (const [path, title] of Object.entries(TITLES)) {
    act(() => {
      history.pushState(null, '', `/dashboard/${path}`)
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await waitFor(() => expect(document.title).toBe(`${title} · Reelay`))
    await waitFor(() => expect(document.querySelector('main')?.textContent, path).toMatch(HEBREW), {
      timeout: 9000,
    })
    found[path] = textsWithoutDirection()
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(TITLES).map((path) => [path, []])))
})

import { screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import type { z } from 'zod'
import type { Post, PostFilter } from '#contract/posts.ts'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, box, openDraft } from '#web/testing/composer.ts'
import { delivery, post, posts, user } from '#web/testing/data.ts'
import { eventStream } from '#web/testing/identity-stub.ts'
import { button, renderSignedIn } from '#web/testing/render-app.tsx'

const AT = '2099-12-24T18:30:00.000Z'
const scheduled = delivery({ status: 'scheduled', published_at: null, due_at: AT, actions: ['cancel'] })
const cancelled = delivery({ status: 'cancelled', published_at: null })
const detail = (its: typeof scheduled) => ({
  ...post({ text: 'Lemon tart', deliveries: [its] }),
  events: [{ event_id: 1, delivery_id: 1, at: AT, status: its.status, message: 'Waiting for its time.' }],
  targets: [{ delivery_id: 1, text: 'Lemon tart', options: {}, after_minutes: 0 }],
})
const answerLists = (lists: Partial<Record<PostFilter, readonly z.input<typeof Post>[]>>): void =>
  api.reply('listPosts', ({ query }) => posts(lists[query['status'] as PostFilter] ?? []))

test('the page of a post shows its new state while the browser translates it', async () => {
  api.reply('getPost', detail(scheduled))
  const events = await renderSignedIn('/dashboard/posts/1', 'Lemon tart')
  translatePage()
  api.reply('cancelDelivery', cancelled)
  await events.click(button('Cancel post: @northwind on TikTok'))
  api.reply('getPost', detail(cancelled))
  await events.click(button('Cancel post'))
  const account = screen.getByRole('region', { name: /@northwind/ })
  await waitFor(() => expect(account).toHaveTextContent('Cancelled'))
  expect(account).not.toHaveTextContent('Scheduled')
})

test('a post in the queue moves on while the browser translates the page', async () => {
  const uploading = delivery({ status: 'preparing', published_at: null })
  const published = delivery({ url: 'https://tiktok.example/rye', updated_at: AT })
  const change = (its: typeof uploading, event_id: number) => ({
    delivery: its,
    event: { event_id, delivery_id: 1, at: AT, status: its.status, message: '' },
  })
  answerLists({ upcoming: [post({ text: 'Rye starter', deliveries: [scheduled] })] })
  await renderSignedIn('/dashboard/queue', 'Queue')
  await screen.findByRole('region', { name: 'Upcoming' })
  translatePage()
  answerLists({ upcoming: [post({ text: 'Rye starter', deliveries: [uploading] })] })
  eventStream.send(change(uploading, 1))
  await waitFor(() => expect(screen.getByRole('region', { name: 'Upcoming' })).toHaveTextContent('Uploading'))
  answerLists({ past: [post({ text: 'Rye starter', deliveries: [published] })] })
  eventStream.send(change(published, 2))
  expect(await screen.findByRole('region', { name: 'Done' })).toHaveTextContent('Published')
  expect(screen.queryByRole('region', { name: 'Upcoming' })).not.toBeInTheDocument()
})

test('the composer counts and checks what is selected while the browser translates it', async () => {
  answerComposer()
  const events = await openDraft()
  const [northwind, bakes] = [await box('TikTok @northwind'), await box('Instagram @northwind.bakes')]
  expect(screen.getByText('1 of 5 selected')).toBeVisible()
  translatePage()
  await events.click(bakes)
  expect(await screen.findByText('2 of 5 selected')).toBeVisible()
  await events.click(northwind)
  expect(await screen.findByText('1 of 5 selected')).toBeVisible()
  expect(button(/^Publish to 1 account$/)).toBeVisible()
})

test('the settings show and save another zone while the browser translates them', async () => {
  const events = await renderSignedIn('/dashboard/settings', 'Settings')
  const zone = await screen.findByRole('combobox', { name: /^Time zone/ })
  translatePage()
  await events.click(zone)
  await events.click(await screen.findByRole('option', { name: /Tokyo/ }))
  api.reply('setTimezone', user({ timezone: 'Asia/Tokyo' }))
  expect(screen.getByText('Time zone: Asia/Tokyo')).toBeVisible()
  await events.click(button('Update time zone'))
  expect(await screen.findByText('Time zone updated.')).toBeVisible()
})

/** Does what browsers do that translate a page: each text, also a later one, is replaced by elements that hold its translation. */
function translatePage(): void {
  translate(document.body)
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) translate(node)
  })
  observer.observe(document.body, { childList: true, subtree: true })
  onTestFinished(() => observer.disconnect())
}

function translate(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const texts = root instanceof Text ? [root] : []
  while (walker.nextNode()) texts.push(walker.currentNode as Text) // it shows texts only
  for (const text of texts) {
    if (text.data.trim() === '' || !text.parentElement || text.parentElement.closest('font, style, textarea'))
      continue
    const font = document.createElement('font')
    const inner = font.appendChild(document.createElement('font'))
    inner.textContent = text.data
    text.replaceWith(font)
  }
}

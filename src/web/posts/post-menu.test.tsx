import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { post, posts } from '#web/testing/data.ts'
import { button, renderSignedIn } from '#web/testing/render-app.tsx'

const openRow = async () => {
  api.reply('listPosts', ({ query }) =>
    posts(query['status'] === 'past' ? [post({ text: 'Opening day' })] : []),
  )
  const events = await renderSignedIn('/dashboard/queue', 'Queue')
  return { events, more: await screen.findByRole('button', { name: 'More about Opening day' }) }
}
const menu = () => screen.findByRole('menu', { name: 'More about Opening day' })
const isClosed = () => expect(screen.queryByRole('menu')).not.toBeInTheDocument()

test('the button of a row says that it has a menu, and whether that is open', async () => {
  const { events, more } = await openRow()
  expect(more).toHaveAttribute('aria-haspopup', 'menu')
  expect(more).toHaveAttribute('aria-expanded', 'false')
  await events.click(more)
  expect(more).toHaveAttribute('aria-controls', (await menu()).id)
  expect(more).toHaveAttribute('aria-expanded', 'true')
  await events.click(more)
  await waitFor(isClosed)
  expect(more).toHaveAttribute('aria-expanded', 'false')
  expect(more).not.toHaveAttribute('aria-controls')
})

test('each time that a row’s menu is closed, its button has the focus again', async () => {
  const { events, more } = await openRow()
  more.focus()
  for (const key of ['{Enter}', ' ', '{Enter}']) {
    await events.keyboard(key)
    await waitFor(() => expect(screen.getByRole('menuitem', { name: 'Show the timeline' })).toHaveFocus())
    await events.keyboard('{Escape}')
    await waitFor(isClosed)
    expect(more).toHaveFocus()
  }
})

test('a click beside an open menu of a row closes it', async () => {
  const { events, more } = await openRow()
  await events.click(more)
  await menu()
  await events.click(screen.getByRole('heading', { name: 'Queue' }))
  await waitFor(isClosed)
  await events.click(button('More about Opening day'))
  await menu()
})

import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { OVERVIEW_COUNTED_MAX } from '#contract/limits.ts'
import { noticePractice, TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { delivery, overview, post, settings } from '#web/testing/data.ts'
import { button, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

const openOverview = () => renderSignedIn('/dashboard/overview', 'Overview')

test('a new user reads the notice, is led through the first steps, and sees no empty lists', async () => {
  const notice = noticePractice(['TikTok', 'Instagram'])
  api.reply('getSettings', settings({ notice }))
  api.reply(
    'getOverview',
    overview({ first_steps: { brand: true, account: false, video: false, post: false } }),
  )
  const events = await openOverview()
  await screen.findByText(notice)
  expect(screen.getByRole('link', { name: 'See the practice feed' })).toHaveAttribute(
    'href',
    settings().practice_url,
  )
  const steps = within(await screen.findByRole('region', { name: 'First steps' })).getAllByRole('listitem')
  expect(steps).toHaveLength(4)
  expect(steps.filter((step) => /done/.test(step.textContent))).toEqual([steps[0]])
  expect(steps[0]).toHaveTextContent('Create a brand')
  for (const name of ['Needs attention', 'Up next', 'Recently published', 'Last two weeks'])
    expect(screen.queryByRole('region', { name })).not.toBeInTheDocument()
  screen.getByRole('link', { name: 'Go to accounts' }).focus()
  await events.keyboard('{Enter}')
  await findHeading('Accounts')
})

test('a server without sign-up says so in the notice, and what "no token found" means', async () => {
  api.reply('getSettings', settings({ signup: 'closed', notice: TEXTS.noticeSignupClosed }))
  await openOverview()
  await screen.findByText(TEXTS.noticeSignupClosed)
})

test('an overview that is slow says so, and one that cannot be read can be asked for again', async () => {
  api.refuse('getOverview', 'internal', TEXTS.unknownError)
  const release = api.hold('getOverview')
  const events = await openOverview()
  await screen.findByText('Loading')
  release()
  await findAlert(TEXTS.unknownError)
  api.reply('getOverview', overview())
  await events.click(button('Try again'))
  await screen.findByRole('region', { name: 'First steps' })
})

test.for([
  [3, '2 more in the queue'],
  [OVERVIEW_COUNTED_MAX, '99+ more in the queue'],
] as const)('of %i posts to come, one is shown and the others are counted', async ([total, more]) => {
  const first_steps = { brand: true, account: true, video: true, post: true }
  api.reply('getOverview', overview({ first_steps, next: { posts: [post()], total } }))
  await openOverview()
  expect(await screen.findByRole('link', { name: more })).toBeVisible()
})

test('a live post whose first comment failed needs attention until that is dismissed', async () => {
  const comment = { kind: 'first_comment', status: 'failed', message: 'Not added.', remedy: null } as const
  const failed = delivery({ follow_ups: [{ ...comment, needs_attention: true, actions: ['dismiss'] }] })
  const first_steps = { brand: true, account: true, video: true, post: true }
  const posts = [post({ text: 'Tarts', deliveries: [failed] })]
  api.reply('getOverview', overview({ first_steps, attention: { posts, total: 1 } }))
  const events = await openOverview()
  const section = await screen.findByRole('region', { name: 'Needs attention' })
  expect(section).toHaveTextContent('The post is live. Not added.')
  api.reply('dismissFollowUp', () => {
    api.reply('getOverview', overview({ first_steps }))
    return delivery({ follow_ups: [{ ...comment, needs_attention: false, actions: [] }] })
  })
  await events.click(button('Dismiss, first comment: @northwind on TikTok'))
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'Needs attention' })).not.toBeInTheDocument(),
  )
})

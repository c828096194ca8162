import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { Help } from '#contract/help.ts'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const SPAM = 'TikTok refused the caption of this post.'
const help: z.input<typeof Help> = {
  platforms: [],
  mail: 'kept',
  failures: [
    {
      message: SPAM,
      remedy: 'Change the caption and make a new post.',
      course: 'needs_you',
      waits_s: [],
      gives_up: false,
      codes: [{ platform: 'tiktok', codes: ['spam_risk_text'] }],
    },
    {
      message: 'The account is banned.',
      remedy: 'Open the app to see why.',
      course: 'needs_you',
      waits_s: [],
      gives_up: false,
      codes: [{ platform: 'tiktok', codes: ['banned'] }],
    },
  ],
}

const openHelp = async () => ({
  events: await renderSignedIn('/dashboard/help', 'Help'),
  failures: await screen.findByRole('region', { name: 'What each failure means' }),
})

test('a failure is found by its code and by keyboard, and the search can be cleared', async () => {
  api.reply('getHelp', help)
  const { events, failures } = await openHelp()
  const group = await within(failures).findByText('You decide')
  const entry = () => within(failures).queryByRole('listitem', { name: SPAM })
  const search = within(failures).getByRole('searchbox', { name: 'Search by code or words' })
  search.focus()
  await events.keyboard('spam_risk_text')
  await waitFor(() => expect(within(failures).getByRole('status')).toHaveTextContent(/^1 of 2$/))
  expect(entry()).toHaveTextContent('Change the caption and make a new post.')
  expect(entry()).toHaveTextContent('spam_risk_text')
  await events.keyboard('{Escape}')
  expect(search).toHaveValue('')

  expect(group.closest('details')).not.toHaveAttribute('open')
  await events.clear(search)
  await events.type(search, 'no such thing')
  await within(failures).findByText('No failure matches these words.')
  button('Clear search', failures).focus()
  await events.keyboard('{Enter}')
  expect(search).toHaveFocus()
  expect(await within(failures).findByText('You decide')).toBeVisible()
})

test('a list of failures that is slow or cannot be read says so, and can be asked for again', async () => {
  api.refuse('getHelp', 'internal', TEXTS.unknownError)
  const release = api.hold('getHelp')
  const { events, failures } = await openHelp()
  expect(within(failures).getByText('Loading')).toBeInTheDocument()
  expect(screen.getByRole('table', { name: 'What each platform accepts' })).toBeVisible()
  release()
  await findAlert(TEXTS.unknownError, failures)
  api.reply('getHelp', help)
  await events.click(button('Try again', failures))
  await within(failures).findByText('You decide')
})

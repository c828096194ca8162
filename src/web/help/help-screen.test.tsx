import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { failureAnchor, type Help } from '#contract/help.ts'
import { TEXTS } from '#contract/texts.ts'
import { api } from '#web/testing/api-stub.ts'
import { settings } from '#web/testing/data.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const SPAM = 'TikTok refused the caption of this post.'
const help: z.input<typeof Help> = {
  platforms: [
    {
      id: 'tiktok',
      mode: 'practice',
      return_address: 'http://localhost:4400/dashboard/oauth/tiktok/callback',
      scopes: ['user.info.basic', 'video.upload', 'video.publish'],
      hooks: [{ called: 'Webhook callback URL', address: 'http://localhost:4400/hooks/tiktok/events' }],
    },
  ],
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

const openHelp = async (hash = '') => ({
  events: await renderSignedIn(`/dashboard/help${hash}`, 'Help'),
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

test('the help covers first steps, limits, states, failures and going live with real figures', async () => {
  api.reply('getHelp', help)
  const { events, failures } = await openHelp()
  const contents = within(screen.getByRole('navigation', { name: 'On this page' }))
  for (const title of [
    'First steps',
    'Linking an account',
    'What each platform accepts',
    'What each status means',
    'What each failure means',
    'Email and passwords',
    "When the server can't be reached",
    'Practice platforms',
    'Running this server',
  ]) {
    expect(screen.getByRole('region', { name: title })).toBeVisible()
    expect(contents.getByRole('link', { name: title })).toBeVisible()
  }

  const limits = within(screen.getByRole('table', { name: 'What each platform accepts' }))
  expect(limits.getByRole('row', { name: /^File/ })).toHaveTextContent('MP4, MOV or WebM')
  expect(limits.getByRole('row', { name: /^Size/ })).toHaveTextContent('up to 300 MB')
  expect(await screen.findByRole('link', { name: `${settings().practice_url}/mailbox` })).toBeVisible()
  const outOfReach = screen.getByRole('region', { name: "When the server can't be reached" })
  for (const said of [
    'Network Error',
    'Request aborted',
    'timeout exceeded',
    'Request failed with status code',
    TEXTS.noToken,
  ])
    expect(outOfReach).toHaveTextContent(said)

  await within(failures).findByText('You decide')
  const codes = within(screen.getByRole('listitem', { name: SPAM, hidden: true })).getByText('spam_risk_text')
  expect(codes).not.toBeVisible()
  await events.click(within(failures).getByText('You decide'))
  expect(screen.getByRole('listitem', { name: SPAM })).toBeVisible()
  expect(codes).not.toBeVisible()
  await events.click(within(failures).getByText('Details', { selector: `[aria-label="Details: ${SPAM}"]` }))
  expect(codes).toBeVisible()
})

test('the setup is closed until its link is followed, and its addresses can be copied', async () => {
  api.reply('getHelp', help)
  const { events } = await openHelp()
  const tiktok = await screen.findByRole('region', { name: /^TikTok/, hidden: true })
  expect(tiktok).not.toBeVisible()
  const link = within(screen.getByRole('navigation', { name: 'On this page' })).getByRole('link', {
    name: 'Running this server',
  })
  link.focus()
  await events.keyboard('{Enter}')
  const heading = screen.getByRole('heading', { level: 2, name: 'Running this server' })
  await waitFor(() => expect(heading).toHaveFocus())
  expect(location.hash).toBe('#going-live')
  expect(tiktok).toBeVisible()
  expect(tiktok).toHaveTextContent('Practice')
  expect(tiktok).toHaveTextContent('user.info.basic, video.upload, video.publish')
  expect(tiktok).toHaveTextContent('TIKTOK_CLIENT_KEY')
  expect(tiktok).toHaveTextContent('Webhook callback URL:http://localhost:4400/hooks/tiktok/events')
  const copy = button(/^Copy.?the return address for TikTok$/, tiktok)
  expect(copy).toHaveTextContent('Copy the return address for TikTok')
  await events.click(copy)
  await waitFor(() => expect(copy).toHaveTextContent('Copied the return address for TikTok'))
  expect(await navigator.clipboard.readText()).toBe('http://localhost:4400/dashboard/oauth/tiktok/callback')
})

test('an address that names a failure opens it; one that is not known says so', async () => {
  api.reply('getHelp', help)
  await openHelp(`#${failureAnchor({ message: SPAM })}`)
  const entry = await screen.findByRole('listitem', { name: SPAM })
  await waitFor(() => expect(entry).toHaveFocus())
  expect(entry).toHaveAttribute('aria-current', 'true')
  expect(within(entry).getByText('spam_risk_text')).toBeVisible()
  cleanup()

  await openHelp('#failure-of-another-time')
  expect(await screen.findByText("This entry isn't in the list.")).toBeVisible()
})

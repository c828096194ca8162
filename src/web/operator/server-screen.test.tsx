import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { PlatformSetup, ServerCheck, ServerFacts } from '#contract/operator.ts'
import { api } from '#web/testing/api-stub.ts'
import { user } from '#web/testing/data.ts'
import { button, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const AT = '2026-11-20T08:00:00.000Z'
const check = (its: Partial<ServerCheck>): ServerCheck => ({
  id: 'database',
  title: 'Database',
  owner: 'operator',
  severity: 'ok',
  sentence: 'PostgreSQL 18.4, 12.3 MB.',
  remedy: null,
  link: null,
  ...its,
})
const CHECKS = [
  check({
    id: 'workers',
    title: 'Workers',
    severity: 'error',
    sentence: 'No worker has looked for due posts for 2 hours: nothing goes out.',
    remedy: 'Start a process with ROLE=worker.',
    link: 'docs/operating.md#health',
  }),
  check({ id: 'mail', title: 'Mail', severity: 'note', sentence: 'No mail server is set.' }),
  check({}),
]
const FACTS: ServerFacts = {
  version: '1.2.3',
  queue: { waiting: 3, oldest_at: AT, running: 2 },
  processes: [
    {
      process_id: crypto.randomUUID(),
      role: 'web',
      host: 'alpha',
      version: '1.2.3',
      started_at: AT,
      seen_at: AT,
    },
  ],
  database: { version: '18.4', bytes: 12_300_000 },
  videos: { count: 7, bytes: 7e9, bytes_in_30_days: 1e9, room_bytes: 5e10 },
  mails: { server: true, waiting: 1, failing: 0, oldest_failing_at: null },
  backups: { on: true, last_at: AT },
  held_after_restore: 3,
  users: 4,
}
const setting = (its: Partial<PlatformSetup['settings'][number]>) => ({
  variable: 'TIKTOK_CLIENT_KEY',
  title: 'Client key',
  kind: 'text' as const,
  required: true,
  source: null,
  value: null,
  ...its,
})
const SETUPS: PlatformSetup[] = [
  {
    platform: 'tiktok',
    mode: 'practice',
    fixed: false,
    accounts: 3,
    settings: [
      setting({}),
      setting({ variable: 'TIKTOK_CLIENT_SECRET', title: 'Client secret', kind: 'secret' }),
    ],
  },
  {
    platform: 'instagram',
    mode: 'live',
    fixed: true,
    accounts: 0,
    settings: [setting({ variable: 'INSTAGRAM_APP_ID', source: 'environment' })],
  },
]
const openServer = () => {
  api.reply('getUser', user({ operator: true }))
  api.reply('listServerChecks', { checked_at: AT, items: CHECKS })
  api.reply('getServer', FACTS)
  api.reply('listOperatorActs', { items: [], more: false })
  api.reply('listPlatformSetups', SETUPS)
  return renderSignedIn('/dashboard/server', 'Server')
}
const region = (name: string) => screen.getByRole('region', { name })

test('what needs a hand comes first, with its remedy, and is counted in the menu', async () => {
  const events = await openServer()
  await screen.findByText('Start a process with ROLE=worker.')
  const checks = region('What needs a hand')
  expect(
    within(checks)
      .getAllByRole('heading', { level: 3 })
      .map((one) => one.textContent),
  ).toEqual(['Workers'])
  const menu = screen.getByRole('navigation', { name: 'Dashboard' })
  expect(await within(menu).findByRole('link', { name: /^Server \d/ })).toHaveTextContent(
    'Server 1 needs a hand',
  )
  await events.click(button('Show 1 note and 1 that are well'))
  expect(
    within(checks)
      .getAllByRole('heading', { level: 3 })
      .map((one) => one.textContent),
  ).toEqual(['Workers', 'Mail', 'Database'])
  api.reply('listServerChecks', { checked_at: AT, items: [check({})] })
  await events.click(button('Check again'))
  await screen.findByText('Nothing needs a hand.')
  expect(api.calls('listServerChecks').at(-1)?.query).toEqual({ fresh: 'true' })
  expect(within(menu).getByRole('link', { name: 'Server' })).toBeVisible()
})

test('the facts of the server are told in words, and a test mail says what became of it', async () => {
  const events = await openServer()
  const facts = await screen.findByRole('region', { name: 'At work' })
  await within(facts).findByText(/^3 posts due and not taken, the oldest since .* ago; 2 being sent/)
  expect(facts).toHaveTextContent(/Web server on alpha, version 1.2.3/)
  expect(facts).toHaveTextContent('7 videos, 7 GB, of which 1 GB came in 30 days; 50 GB left')
  api.reply('sendTestMail', { result: 'failed', message: 'The mail server refused the log-in of SMTP_URL.' })
  await events.click(button('Send me a test mail'))
  await findAlert('The mail server refused the log-in of SMTP_URL.')
})

test('what is held after a restore is decided for all users at once', async () => {
  const events = await openServer()
  await events.click(await screen.findByRole('button', { name: 'Decide for all users' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Posts held after a restore' }))
  await events.click(dialog.getByRole('radio', { name: /^What was due is live/ }))
  api.reply('decideAllRestored', { decided: 3, missed: 0, missed_post_ids: [] })
  await events.click(dialog.getByRole('button', { name: 'Mark as published' }))
  await screen.findByText('What was due is marked as published.')
  expect(api.calls('decideAllRestored').map(({ body }) => body)).toEqual([{ decision: 'live' }])
})

test('keys of a platform are entered, refused by field, and tried', async () => {
  api.reply('getHelp', { platforms: [], mail: 'kept', failures: [] })
  const events = await openServer()
  const platforms = within(await screen.findByRole('region', { name: 'Platforms' }))
  expect(await platforms.findByText(/stand in the server's environment: INSTAGRAM_APP_ID/)).toBeVisible()
  await events.click(platforms.getByRole('button', { name: 'Enter the keys of TikTok' }))
  const form = within(await platforms.findByRole('form', { name: 'Keys of TikTok' }))
  await events.type(form.getByRole('textbox', { name: /^Client key/ }), 'aw12')
  const message = 'Enter the client secret.'
  api.refuse('setPlatformKeys', 'invalid', message, { 'keys.TIKTOK_CLIENT_SECRET': [message] })
  await events.click(form.getByRole('button', { name: 'Save' }))
  const secret = form.getByLabelText(/^Client secret/)
  await waitFor(() => expect(secret).toHaveAccessibleDescription(message))
  await events.type(secret, 's3cret')
  const [tiktok] = SETUPS
  if (!tiktok) throw new Error('There are no platforms.')
  const live = { ...tiktok, mode: 'live' as const }
  api.reply('setPlatformKeys', live)
  api.reply('listPlatformSetups', [live])
  await events.click(form.getByRole('button', { name: 'Save' }))
  await screen.findByText('Posts to TikTok go to the real platform from now on.')
  expect(api.calls('setPlatformKeys').at(-1)?.body).toEqual({
    keys: { TIKTOK_CLIENT_KEY: 'aw12', TIKTOK_CLIENT_SECRET: 's3cret' },
  })
  api.reply('tryPlatformKeys', { result: 'unknown', message: 'TikTok does not know the app.' })
  await events.click(await platforms.findByRole('button', { name: 'Try the keys' }))
  await findAlert('TikTok does not know the app.')
})

test('keys are removed after a question that counts the accounts to link again', async () => {
  const [tiktok] = SETUPS
  if (!tiktok) throw new Error('There are no platforms.')
  const settings = tiktok.settings.map((one) => ({ ...one, source: 'entered' as const }))
  const events = await openServer()
  api.reply('listPlatformSetups', [{ ...tiktok, settings }])
  await events.click(button('Check again'))
  await events.click(await screen.findByRole('button', { name: 'Remove the keys' }))
  const asked = within(
    await screen.findByRole('group', { name: /^Remove the keys of TikTok\? 3 accounts are linked/ }),
  )
  expect(api.calls('setPlatformKeys')).toEqual([])
  api.reply('setPlatformKeys', tiktok)
  await events.click(asked.getByRole('button', { name: 'Remove the keys' }))
  await screen.findByText('The keys of TikTok are removed.')
  expect(api.calls('setPlatformKeys').map(({ body }) => body)).toEqual([{ keys: null }])
})

test('acts are listed with what they changed, and earlier ones on request', async () => {
  const act = { at: AT, operator: null, subject: 'eve@example.com' }
  api.reply('getUser', user({ operator: true }))
  const events = await openServer()
  api.reply('listOperatorActs', ({ query }) =>
    query['before'] === undefined
      ? {
          items: [
            {
              ...act,
              act_id: 9,
              act: 'operator_granted',
              before: { operator_by: null },
              after: { operator_by: 'granted' },
            },
          ],
          more: true,
        }
      : { items: [{ ...act, act_id: 2, act: 'reset_link_made', before: null, after: null }], more: false },
  )
  await events.click(button('Check again'))
  await screen.findByText('Command line: made an operator of eve@example.com (operator by: none → granted)')
  await events.click(button('Show earlier ones'))
  await screen.findByText('Command line: made a reset link for eve@example.com')
  expect(api.calls('listOperatorActs').at(-1)?.query).toEqual({ before: 9 })
})

test('users who are no operators have no entry for the server, and are told so at its address', async () => {
  const forbidden = 'Only an operator of this server can do this.'
  for (const name of ['listServerChecks', 'getServer', 'listPlatformSetups', 'listOperatorActs'] as const)
    api.refuse(name, 'forbidden', forbidden)
  await renderSignedIn('/dashboard/server', 'Server')
  await waitFor(() => expect(screen.getAllByText(forbidden).length).toBeGreaterThan(0))
  const menu = screen.getByRole('navigation', { name: 'Dashboard' })
  expect(within(menu).queryByRole('link', { name: /^Server/ })).toBeNull()
})

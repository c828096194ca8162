import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { NewWebhook } from '#contract/webhooks.ts'
import { queryClient } from '#web/api/queries.ts'
import { api } from '#web/testing/api-stub.ts'
import { webhook, webhookMessage } from '#web/testing/data.ts'
import { button, fill, findAlert, renderPart } from '#web/testing/render-app.tsx'
import Webhooks from './webhooks-section.tsx'

const SECRET = 'whsec_bm90IGEgc2VjcmV0IGF0IGFsbCBidXQgbG9uZyBlbm91Z2g='
const ADDRESS = 'https://hooks.example.com/reelay'

const openLog = async (messages: Parameters<typeof webhookMessage>[0][]) => {
  api.reply('listWebhooks', [webhook()])
  api.reply('listWebhookMessages', { items: messages.map((its) => webhookMessage(its)), next_cursor: null })
  const events = await renderPart(<Webhooks />)
  await events.click(await screen.findByRole('button', { name: `Log of ${ADDRESS}` }))
  return { events, dialog: await screen.findByRole('dialog', { name: 'Webhook log' }) }
}

const findRowText = async (name: string): Promise<string> =>
  (await screen.findByRole('heading', { name })).parentElement?.textContent ?? ''

const openMenu = async (item: string) => {
  const events = await renderPart(<Webhooks />)
  await events.click(await screen.findByRole('button', { name: `More about ${ADDRESS}` }))
  await events.click(await screen.findByRole('menuitem', { name: item }))
  return events
}

test('each webhook says where it goes, what it is told, and how it is', async () => {
  api.reply('listWebhooks', [
    webhook({ succeeded_at: '2026-10-03T12:00:00.000Z', rotating_until: '2026-10-04T12:00:00.000Z' }),
    webhook({
      webhook_id: 2,
      address: 'https://two.example.com/',
      status: 'failing',
      failed_at: '2026-10-03T13:00:00.000Z',
    }),
    webhook({ webhook_id: 3, address: 'https://three.example.com/', status: 'switched_off' }),
  ])
  await renderPart(<Webhooks />)
  expect(await findRowText(ADDRESS)).toMatch(
    /post\.published, post\.failed.*On.*Last delivered 3 Oct.*Two secrets sign until 4 Oct/,
  )
  expect(await findRowText('https://two.example.com/')).toMatch(
    /Failing.*Nothing delivered yet.*Last failed 3 Oct/,
  )
  expect(await findRowText('https://three.example.com/')).toContain('Switched off')
  expect(screen.getByText(/^Nothing was delivered for 3 days/)).toBeVisible()
})

test('a new webhook is checked, made, and its secret shown once', async () => {
  api.reply('createWebhook', ({ body }) => ({ webhook: webhook(body as NewWebhook), secret: SECRET }))
  const events = await renderPart(<Webhooks />)
  await events.click(await screen.findByRole('button', { name: 'New webhook' }))
  const dialog = await screen.findByRole('dialog', { name: 'New webhook' })
  await events.click(button('Make webhook'))
  expect(within(dialog).getByLabelText('Address')).toHaveFocus()
  expect(within(dialog).getByText(/begins with https/)).toBeVisible()
  await fill(events, within(dialog).getByLabelText('Address'), ADDRESS)
  await events.click(within(dialog).getByRole('checkbox', { name: /^An account must be linked again/ }))
  api.reply('listWebhooks', [webhook()])
  await events.click(button('Make webhook'))
  const shown = await screen.findByRole('dialog', { name: 'Your new webhook' })
  expect(within(shown).getByLabelText('Secret')).toHaveValue(SECRET)
  expect(api.calls('createWebhook').at(-1)?.body).toEqual({
    address: ADDRESS,
    events: ['post.published', 'post.partially_published', 'post.failed', 'account.needs_relink'],
  })
  await events.click(button('Done'))
  await screen.findByRole('heading', { name: ADDRESS })
  const kept = JSON.stringify([
    queryClient
      .getQueryCache()
      .getAll()
      .map(({ state }) => state),
    queryClient
      .getMutationCache()
      .getAll()
      .map(({ state }) => state),
  ])
  expect(kept + document.body.innerHTML).not.toContain(SECRET)
})

test('an address that the server refuses is explained at its field', async () => {
  api.fail('createWebhook', 422, {
    code: 'invalid',
    message: 'Look at these fields.',
    errors: { address: ['This address is in a private network.'] },
  })
  const events = await renderPart(<Webhooks />)
  await events.click(await screen.findByRole('button', { name: 'New webhook' }))
  const dialog = await screen.findByRole('dialog')
  await fill(events, within(dialog).getByLabelText('Address'), 'https://10.0.0.1/')
  await events.click(button('Make webhook'))
  expect(await within(dialog).findByText('This address is in a private network.')).toBeVisible()
})

test('a webhook that was switched off is turned on', async () => {
  api.reply('listWebhooks', [webhook({ status: 'switched_off', off_since: '2026-10-03T12:00:00.000Z' })])
  api.reply('changeWebhook', webhook())
  const events = await renderPart(<Webhooks />)
  await events.click(await screen.findByRole('button', { name: `Turn on ${ADDRESS}` }))
  await waitFor(() => expect(screen.queryByText(/^Nothing was delivered/)).not.toBeInTheDocument())
  expect(api.calls('changeWebhook').at(-1)?.body).toEqual({ active: true })
})

test('a new secret is made after a question', async () => {
  api.reply('listWebhooks', [webhook()])
  api.reply('rotateWebhookSecret', {
    webhook: webhook({ rotating_until: '2026-10-04T12:00:00.000Z' }),
    secret: SECRET,
  })
  const events = await openMenu('New secret…')
  await events.click(button('Make new secret'))
  const shown = await screen.findByRole('dialog', { name: 'The new secret' })
  expect(within(shown).getByLabelText('Secret')).toHaveValue(SECRET)
  await events.click(button('Done'))
  expect(await screen.findByText(/^Two secrets sign until/)).toBeVisible()
})

test('a webhook is deleted after a question', async () => {
  api.reply('listWebhooks', [webhook()])
  api.reply('deleteWebhook', undefined)
  const events = await openMenu('Delete…')
  await events.click(button('Delete webhook'))
  await screen.findByText('You have no webhooks yet.')
})

test('the log says what became of each message, with body and answer', async () => {
  const { events, dialog } = await openLog([
    { message_id: 3, type: 'post.published' },
    {
      message_id: 2,
      status: 'waiting',
      attempts: 2,
      answer_status: 500,
      failure: 'refused',
      delivered_at: null,
      next_at: '2026-11-02T12:00:00.000Z',
    },
    {
      message_id: 1,
      type: 'video.ready',
      status: 'failed',
      attempts: 0,
      answer_status: null,
      failure: 'off',
      delivered_at: null,
    },
  ])
  const rows = (await within(dialog).findAllByRole('listitem')).map(({ textContent }) => textContent)
  expect(rows[0]).toMatch(/post\.publishedDelivered.* · 204/)
  expect(rows[1]).toMatch(/post\.failedWaiting.*Refused: 500 · 2 attempts · next 2 Nov/)
  expect(rows[2]).toMatch(/video\.readyNot delivered.*The webhook was off/)
  api.reply('getWebhookMessage', webhookMessage({ body: '{"a":1}', answer: 'Oops' }))
  await events.click(button(/^Details of post\.failed/, dialog))
  expect(await within(dialog).findByLabelText('Body')).toHaveTextContent('{ "a": 1 }')
  expect(within(dialog).getByLabelText('Answer')).toHaveTextContent('Oops')
})

test('a message, all since a time, and a test are sent', async () => {
  const { events, dialog } = await openLog([{ type: 'post.failed' }])
  api.reply('resendWebhookMessage', webhookMessage({ status: 'waiting' }))
  await events.click(await within(dialog).findByRole('button', { name: /^Send again: post\.failed/ }))
  await waitFor(() => expect(api.calls('resendWebhookMessage')).toHaveLength(1))
  api.reply('testWebhook', webhookMessage({ type: 'webhook.test', status: 'waiting' }))
  await events.click(button('Send a test', dialog))
  await waitFor(() => expect(api.calls('testWebhook')).toHaveLength(1))
  const more = ['2026-11-01T12:00:00.000Z', null]
  api.reply('resendWebhookMessages', () => ({ messages: 10, more_since: more.shift() ?? null }))
  await events.click(button('Send all since…', dialog))
  await events.click(
    within(await within(dialog).findByRole('form', { name: 'Send all since' })).getByRole('button', {
      name: 'Send again',
    }),
  )
  await waitFor(() => expect(screen.queryByRole('form')).not.toBeInTheDocument())
  expect(api.calls('resendWebhookMessages').map(({ body }) => body)).toEqual([
    { since: expect.any(String) as string, undelivered: true },
    { since: '2026-11-01T12:00:00.000Z', undelivered: true },
  ])
})

test('a log that cannot be read can be asked for again', async () => {
  api.reply('listWebhooks', [webhook()])
  api.fail('listWebhookMessages', 500)
  const events = await renderPart(<Webhooks />)
  await events.click(await screen.findByRole('button', { name: `Log of ${ADDRESS}` }))
  await findAlert('Request failed with status code 500')
})

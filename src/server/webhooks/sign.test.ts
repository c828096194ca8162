import { expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, signMessage } from './sign.ts'

const message = { eventId: 'event-1', body: '{"text":"Crème brûlée 🍓"}' }

it('the package of Standard Webhooks accepts what either secret signs, and nothing else', () => {
  const [now, before, another] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const headers = signMessage(message, [now, before], Date.now())
  expect(new Webhook(now).verify(message.body, headers)).toEqual({ text: 'Crème brûlée 🍓' })
  expect(new Webhook(before).verify(message.body, headers)).toEqual({ text: 'Crème brûlée 🍓' })
  expect(() => new Webhook(another).verify(message.body, headers)).toThrow('No matching signature')
  expect(() => new Webhook(now).verify(`${message.body} `, headers)).toThrow('No matching signature')
})

it('a message that was sent minutes ago is refused', () => {
  const secret = newWebhookSecret()
  const headers = signMessage(message, [secret], Date.now() - 6 * 60_000)
  expect(() => new Webhook(secret).verify(message.body, headers)).toThrow('too old')
})

it('signatures are those of the package', () => {
  const secret = newWebhookSecret()
  const at = new Date('2026-11-29T12:00:00.900Z')
  const signed = new Webhook(secret).sign(message.eventId, at, message.body)
  expect(signMessage(message, [secret], at.getTime())).toEqual({
    'webhook-id': 'event-1',
    'webhook-timestamp': '1795953600',
    'webhook-signature': signed,
  })
})

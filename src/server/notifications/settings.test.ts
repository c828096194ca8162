import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOTIFICATION_KINDS } from '#contract/notifications.ts'
import { signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await startTestServer()
})
afterAll(() => testServer.stop())

it('a new user is notified of everything in the app and by mail, at once and at any hour', async () => {
  const someone = await signUp(testServer)
  const settings = await someone.call('getNotificationSettings')
  expect(settings).toEqual({
    kinds: Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, { in_app: true, mail: true }])),
    digest: 'at_once',
    quiet_hours: null,
    mail: 'practice',
    email: someone.email,
    email_confirmed: false,
    timezone: 'Europe/Lisbon',
  })
})

it('changed settings are stored, and are of one user', async () => {
  const [someone, other] = await Promise.all([signUp(testServer), signUp(testServer)])
  const before = await someone.call('getNotificationSettings')
  const changed = {
    kinds: { ...before.kinds, limit: { in_app: true, mail: false }, missed: { in_app: false, mail: true } },
    digest: 'daily' as const,
    quiet_hours: { from: '22:00', until: '07:30' },
  }
  expect(await someone.call('setNotificationSettings', { body: changed })).toMatchObject(changed)
  expect(await someone.call('getNotificationSettings')).toEqual({ ...before, ...changed })
  expect(await other.call('getNotificationSettings')).toMatchObject({
    kinds: before.kinds,
    digest: 'at_once',
  })
})

it('quiet hours need two different times', async () => {
  const someone = await signUp(testServer)
  const { kinds } = await someone.call('getNotificationSettings')
  const answer = await someone.request('/notifications/settings', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kinds, digest: 'hourly', quiet_hours: { from: '22:00', until: '22:00' } }),
  })
  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain('Choose two different times.')
})

it('a server without a mail server says so', async () => {
  const silent = await startTestServer({ env: { PRACTICE: 'off' } })
  const someone = await signUp(silent)
  expect(await someone.call('getNotificationSettings')).toMatchObject({ mail: 'off' })
  await silent.stop()
})

import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { NotificationSettings } from '#contract/notifications.ts'
import { api } from '#web/testing/api-stub.ts'
import { notificationSettings } from '#web/testing/data.ts'
import { findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const openSettings = () => renderSignedIn('/dashboard/settings', 'Settings')
const save = () => screen.queryByRole('button', { name: 'Save notifications' })

test('kinds, digest and quiet hours are changed together and saved once', async () => {
  const events = await openSettings()
  const failedByMail = await screen.findByRole('checkbox', { name: 'A post failed: by email' })
  expect(screen.getByText('Emails go to ada@example.com.')).toBeInTheDocument()
  expect(save()).not.toBeInTheDocument()
  await events.click(failedByMail)
  await events.click(screen.getByRole('radio', { name: 'Once a day at 09:00, in one email' }))
  await events.click(screen.getByRole('checkbox', { name: /^Quiet hours/ }))
  expect(screen.getByLabelText('From: hours')).toHaveValue('22')
  expect(screen.getByText('Europe/Lisbon time')).toBeVisible()
  api.reply('setNotificationSettings', ({ body }) => notificationSettings(body as NotificationSettings))
  const button = save()
  if (button === null) throw new Error('nothing to save')
  await events.click(button)
  await findAlert('Notifications updated.')
  const { kinds } = notificationSettings()
  expect(api.calls('setNotificationSettings').map(({ body }) => body)).toEqual([
    {
      kinds: { ...kinds, failed: { in_app: true, mail: false } },
      digest: 'daily',
      quiet_hours: { from: '22:00', until: '08:00' },
    },
  ])
  await waitFor(() => expect(save()).not.toBeInTheDocument())
})

test('a server without mail says so, and offers what works without', async () => {
  api.reply('getNotificationSettings', notificationSettings({ mail: 'off' }))
  await openSettings()
  await screen.findByText(/^This server can't send emails/)
  expect(screen.getByRole('checkbox', { name: 'A post failed: in Reelay' })).toBeEnabled()
  expect(screen.getByRole('checkbox', { name: 'A post failed: by email' })).toBeDisabled()
  expect(screen.queryByRole('radio', { name: 'Never' })).not.toBeInTheDocument()
})

test('an unconfirmed address gets no mails, and the settings say how to change that', async () => {
  api.reply('getNotificationSettings', notificationSettings({ email_confirmed: false }))
  await openSettings()
  await screen.findByText(/^Confirm ada@example.com to get emails/)
})

test('mails that only go into the practice mailbox are named as such', async () => {
  api.reply('getNotificationSettings', notificationSettings({ mail: 'practice', digest: 'never' }))
  await openSettings()
  await screen.findByText(/practice platforms' mailbox/)
  expect(screen.getByRole('radio', { name: 'Never' })).toBeChecked()
  expect(screen.getByRole('checkbox', { name: 'A post failed: by email' })).toBeDisabled()
})

import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { UserId } from '#contract/ids.ts'
import type { ServerUser } from '#contract/server-users.ts'
import { api } from '#web/testing/api-stub.ts'
import { settings, user } from '#web/testing/data.ts'
import { button, fill, findAlert, renderSignedIn } from '#web/testing/render-app.tsx'

const AT = '2026-11-20T08:00:00.000Z'
const EVE: ServerUser = {
  user_id: 7 as UserId, // as the contract brands it
  email: 'eve@example.com',
  nickname: 'Eve',
  operator: false,
  created_at: AT,
  seen_at: AT,
  disabled_at: null,
  held: 0,
  used_bytes: 2e9,
  quota_bytes: null,
  accounts: 2,
  posts: 1000,
}
const page = (...items: ServerUser[]) => ({ items, next_cursor: null, default_quota_bytes: 5e9 })
const invitation = { invitation_id: 3, email: null, created_at: AT, expires_at: AT, used_by: null }

const openUsers = (...items: ServerUser[]) => {
  api.reply('getUser', user({ operator: true }))
  api.reply('listServerChecks', { checked_at: AT, items: [] })
  api.reply('listServerUsers', page(...items))
  api.reply('getServerSignUp', { mode: 'open', fixed: false, invitations: [] })
  return renderSignedIn('/dashboard/server/users', 'Users')
}
const choose = async (events: Awaited<ReturnType<typeof openUsers>>, act: string) => {
  await events.click(await screen.findByRole('button', { name: 'Acts on eve@example.com' }))
  await events.click(await screen.findByRole('menuitem', { name: act }))
}

test('users are listed with what they have, and found by how their address begins', async () => {
  const disabled = { ...EVE, user_id: 8 as UserId, email: 'mallory@example.com', disabled_at: AT, held: 3 }
  const events = await openUsers({ ...EVE, operator: true }, disabled)
  const list = await screen.findByRole('region', { name: 'Users' })
  await within(list).findByText('mallory@example.com')
  expect(list).toHaveTextContent(/Eve: joined .*, seen .*, 2 accounts, 1000 posts or more, 2 GB of 5 GB/)
  expect(screen.getByText('Operator')).toBeVisible()
  expect(screen.getByText('Disabled')).toBeVisible()
  expect(
    screen.getByText(/^Nothing has gone out since .*; 3 posts to an account are held so far$/),
  ).toBeVisible()
  api.reply('listServerUsers', page())
  await events.type(screen.getByRole('searchbox'), 'zoe')
  await screen.findByText('No address begins like this.')
  expect(api.calls('listServerUsers').at(-1)?.query).toEqual({ search: 'zoe' })
})

test('a user is disabled and enabled once that is confirmed', async () => {
  const events = await openUsers(EVE)
  await choose(events, 'Disable…')
  await events.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(api.calls('disableUser')).toEqual([])
  await choose(events, 'Disable…')
  api.refuse('disableUser', 'conflict', 'This is the only operator of this server.')
  await events.click(await screen.findByRole('button', { name: 'Disable' }))
  await findAlert('This is the only operator of this server.')
  const disabled = { ...EVE, disabled_at: AT }
  api.reply('disableUser', disabled)
  api.reply('listServerUsers', page(disabled))
  await events.click(button('Disable'))
  await screen.findByText('eve@example.com is disabled.')
  await choose(events, 'Enable…')
  await events.click(await screen.findByRole('button', { name: 'Enable' }))
  await screen.findByText('eve@example.com is enabled.')
  expect(api.calls('disableUser').map(({ body }) => body)).toEqual([
    { disabled: true },
    { disabled: true },
    { disabled: false },
  ])
})

test('a user is deleted only once their address was typed', async () => {
  const events = await openUsers(EVE)
  await choose(events, 'Delete…')
  const form = await screen.findByRole('form', { name: 'Delete eve@example.com' })
  const address = within(form).getByRole('textbox')
  await fill(events, address, 'eve@example')
  await events.click(button('Delete this user'))
  await waitFor(() =>
    expect(address).toHaveAccessibleDescription('Type eve@example.com to delete this user.'),
  )
  expect(api.calls('deleteServerUser')).toEqual([])
  api.reply('deleteServerUser', undefined)
  api.reply('listServerUsers', page())
  await fill(events, address, 'Eve@Example.com')
  await events.click(button('Delete this user'))
  await screen.findByText('eve@example.com is deleted.')
})

test('a reset link is shown where no mail can be sent, and the storage is set in GB', async () => {
  const events = await openUsers(EVE)
  api.reply('resetUserPassword', { link: 'https://reelay.example.com/__/auth/action?oobCode=once' })
  await choose(events, 'Reset the password')
  const link = await screen.findByRole('textbox', {
    name: 'Link that sets a new password of eve@example.com',
  })
  expect(link).toHaveValue('https://reelay.example.com/__/auth/action?oobCode=once')
  api.reply('setUserQuota', EVE)
  await choose(events, 'Change the storage…')
  const storage = await screen.findByRole('textbox', { name: 'Storage in GB' })
  expect(storage).toHaveAccessibleDescription('Empty: the setting of the server, 5 GB.')
  await fill(events, storage, '1.5')
  await events.click(button('Save'))
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Storage in GB' })).toBeNull())
  await choose(events, 'Change the storage…')
  await events.click(await screen.findByRole('button', { name: 'Save' }))
  await waitFor(() => expect(api.calls('setUserQuota')).toHaveLength(2))
  expect(api.calls('setUserQuota').map(({ body }) => body)).toEqual([
    { quota_bytes: 1.5e9 },
    { quota_bytes: null },
  ])
})

test('with a hosted identity service passwords and log-ins are left to it', async () => {
  const identity = { mode: 'firebase', apiKey: 'key', projectId: 'demo', authDomain: 'demo.test' } as const
  const events = await openUsers(EVE)
  api.reply('getSettings', settings({ identity }))
  api.reply('setServerSignUp', { mode: 'closed', fixed: false, invitations: [] })
  await events.click(await screen.findByRole('radio', { name: 'Nobody' }))
  await screen.findByText(/managed in the console of your identity service/)
  await events.click(button('Acts on eve@example.com'))
  const items = await screen.findAllByRole('menuitem')
  expect(items.map((item) => item.textContent)).toEqual(['Change the storage…', 'Disable…', 'Delete…'])
})

test('sign-up by invitation shows each link once, and revokes it', async () => {
  const events = await openUsers(EVE)
  const invited = { mode: 'invited', fixed: false, invitations: [invitation] } as const
  api.reply('setServerSignUp', { ...invited, invitations: [] })
  api.reply('getServerSignUp', { ...invited, invitations: [] })
  await events.click(await screen.findByRole('radio', { name: 'Whoever has an invitation from you' }))
  expect(api.calls('setServerSignUp').map(({ body }) => body)).toEqual([{ mode: 'invited' }])
  api.reply('createInvitation', { ...invitation, link: 'https://reelay.example.com/signup#secret' })
  api.reply('getServerSignUp', { ...invited, invitations: [invitation] })
  await events.click(await screen.findByRole('button', { name: 'Make an invitation' }))
  expect(await screen.findByRole('textbox', { name: 'Link for one person' })).toHaveValue(
    'https://reelay.example.com/signup#secret',
  )
  expect(api.calls('createInvitation').map(({ body }) => body)).toEqual([{ email: null }])
  api.reply('revokeInvitation', undefined)
  api.reply('getServerSignUp', { ...invited, invitations: [] })
  await events.click(
    await screen.findByRole('button', { name: /^Revoke the invitation: One person, until / }),
  )
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Revoke/ })).toBeNull())
})

test('where SIGNUP decides, nothing can be chosen, and it says so', async () => {
  api.reply('getServerSignUp', { mode: 'closed', fixed: true, invitations: [] })
  api.reply('getUser', user({ operator: true }))
  api.reply('listServerChecks', { checked_at: AT, items: [] })
  api.reply('listServerUsers', page(EVE))
  await renderSignedIn('/dashboard/server/users', 'Users')
  await screen.findByText(/^The variable SIGNUP decides\./)
  for (const radio of screen.getAllByRole('radio')) expect(radio).toBeDisabled()
  expect(screen.getByRole('radio', { name: 'Nobody' })).toBeChecked()
})

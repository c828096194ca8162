import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { STORAGE_KEYS } from '#web/lib/storage-keys.ts'
import { api } from '#web/testing/api-stub.ts'
import { delivery, overview, post, posts, settings, user } from '#web/testing/data.ts'
import { button, fill, findAlert, findHeading, renderSignedIn } from '#web/testing/render-app.tsx'

const openSettings = () => renderSignedIn('/dashboard/settings', 'Settings')
const stored = (key: string): unknown => JSON.parse(localStorage.getItem(key) ?? 'null')
const nickname = () => screen.getByLabelText('Nickname')
const update = () => screen.queryByRole('button', { name: 'Update' })

test('a changed nickname can be saved, and greets at once', async () => {
  const events = await openSettings()
  await waitFor(() => expect(nickname()).toHaveValue('Ada'))
  expect(stored(STORAGE_KEYS.userData), 'the profile is cached as userData').toEqual(user())
  expect(update()).not.toBeInTheDocument()

  const wrong = [
    { typed: ' ', says: 'Enter a nickname.' },
    { typed: 'x'.repeat(51), says: 'Use at most 50 characters.' },
    { typed: 'Ada\u0007', says: 'Use letters, numbers and symbols only.' },
  ]
  for (const { typed, says } of wrong) {
    await fill(events, nickname(), typed)
    await events.click(button('Update'))
    expect(nickname()).toHaveAccessibleDescription(says)
    expect(nickname()).toHaveFocus()
  }
  await fill(events, nickname(), 'Ada')
  expect(update(), 'nothing is left to update').not.toBeInTheDocument()
  expect(api.calls('setNickname')).toEqual([])

  api.fail('setNickname', 500)
  await fill(events, nickname(), 'Grace')
  await events.click(button('Update'))
  await waitFor(() => expect(nickname()).toHaveAccessibleDescription('Request failed with status code 500'))
  expect(nickname(), 'what was typed stays').toHaveValue('Grace')

  api.reply('setNickname', user({ nickname: 'Grace' }))
  await events.type(nickname(), '{Enter}')
  await screen.findByText('Welcome Grace')
  await findAlert('Nickname updated.')
  expect(api.calls('setNickname').at(-1)?.body).toEqual({ nickname: 'Grace' })
  expect(update()).not.toBeInTheDocument()
  expect(nickname()).toHaveFocus()
  expect(stored(STORAGE_KEYS.userData)).toMatchObject({ nickname: 'Grace' })
})

test('a profile that cannot be read can be asked for again', async () => {
  api.fail('getUser', 500)
  const events = await openSettings()
  await findAlert('Request failed with status code 500')
  api.reply('getUser', user())
  await events.click(button('Try again'))
  await waitFor(() => expect(nickname()).toHaveValue('Ada'))
})

test('a new time zone is saved, and queue and overview show times in it', async () => {
  const kathmandu = user({ timezone: 'Asia/Kathmandu' })
  api.reply('setTimezone', kathmandu)
  const events = await openSettings()
  const zone = await screen.findByRole('combobox', { name: 'Time zone: Europe/Lisbon' })
  await fill(events, zone, 'Kathmandu')
  await events.click(await screen.findByRole('option', { name: /Kathmandu/ }))
  await events.click(button('Update time zone'))
  await findAlert('Time zone updated.')
  expect(api.calls('setTimezone').map(({ body }) => body)).toEqual([{ timezone: 'Asia/Kathmandu' }])

  api.reply('getUser', kathmandu)
  const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const at = `${soon}T18:30:00.000Z`
  const waiting = post({
    text: 'Rye starter',
    publish_at: at,
    deliveries: [delivery({ status: 'scheduled', published_at: null, due_at: at })],
  })
  api.reply('listPosts', ({ query }) => posts(query['status'] === 'upcoming' ? [waiting] : []))
  const first_steps = { brand: true, account: true, video: true, post: true }
  api.reply('getOverview', overview({ first_steps, next: { posts: [waiting], total: 1 } }))
  const sidebar = screen.getByRole('navigation', { name: 'Dashboard' })
  for (const name of ['Queue', 'Overview']) {
    await events.click(within(sidebar).getByRole('link', { name }))
    await findHeading(name)
    await screen.findByText('Times in Asia/Kathmandu')
    expect(await screen.findByRole('listitem', { name: 'Rye starter' })).toHaveTextContent('00:15')
  }
})

test('a copy of all data is downloaded, and a refusal says why', async () => {
  const saved: Blob[] = []
  URL.createObjectURL = (blob: Blob) => `blob:${saved.push(blob)}`
  const message = 'Another download of your data is still running.'
  const events = await openSettings()
  vi.spyOn(globalThis, 'fetch')
    .mockResolvedValueOnce(Response.json({ code: 'too_many_requests', message }, { status: 429 }))
    .mockResolvedValueOnce(new Response('PK'))
  await events.click(button('Download my data'))
  await findAlert(message)
  await events.click(button('Download my data'))
  await waitFor(() => expect(saved).toHaveLength(1))
})

test('what a server cannot do is not offered', async () => {
  api.reply('getSettings', settings({ account: { delete: false, sign_out_everywhere: false } }))
  await openSettings()
  await screen.findByRole('button', { name: 'Change password' })
  expect(screen.getByText('Changing it logs you out everywhere else.')).toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Log out everywhere' })).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Delete my account' })).not.toBeInTheDocument()
})

const scheme = (name: string) =>
  within(screen.getByRole('radiogroup', { name: 'Dark mode' })).getByRole('radio', { name })

test('dark mode that was stored before is shown as on', async () => {
  localStorage.setItem(STORAGE_KEYS.darkMode, 'true')
  await openSettings()
  expect(scheme('Dark')).toBeChecked()
})

test('dark mode is switched by keyboard and stored as darkMode', async () => {
  const events = await openSettings()
  const page = document.documentElement
  expect(stored(STORAGE_KEYS.darkMode)).toBeNull()
  scheme('System').focus()
  await events.keyboard('{ArrowUp}')
  expect(scheme('Dark')).toBeChecked()
  expect(localStorage.getItem(STORAGE_KEYS.darkMode)).toBe('true')
  expect(page).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await events.click(scheme('Light'))
  expect(scheme('Dark')).not.toBeChecked()
  expect(localStorage.getItem(STORAGE_KEYS.darkMode)).toBe('false')
  expect(page).toHaveAttribute('data-mantine-color-scheme', 'light')
})

test('light or dark is the same as the system until one is chosen, and again when asked for', async () => {
  const events = await openSettings()
  expect(scheme('System')).toBeChecked()
  await events.click(scheme('Dark'))
  expect(scheme('System')).not.toBeChecked()
  await events.click(scheme('System'))
  expect(scheme('System')).toBeChecked()
  expect(stored(STORAGE_KEYS.darkMode)).toBeNull()
})

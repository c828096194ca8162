import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { answerComposer, content, openDraft } from '#web/testing/composer.ts'
import { delivery, post, user } from '#web/testing/data.ts'
import { button, findHeading, renderApp, renderSignedIn } from '#web/testing/render-app.tsx'

/** The server knows it, and this browser does not. */
const ZONE = 'America/Olympus_Mons'
const zoneField = (name: RegExp) => screen.findByRole('combobox', { name })

test('sign-up asks for the zone where the browser names none', async () => {
  const options = new Intl.DateTimeFormat().resolvedOptions()
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    ...options,
    timeZone: undefined as unknown as string, // as some browsers answer
  })
  const events = renderApp('/signup')
  await findHeading('Sign up')
  const zone = await zoneField(/^Time zone$/)
  expect(zone).toHaveValue('')
  await events.click(button('Sign up'))
  await waitFor(() => expect(zone).toHaveAccessibleDescription('Choose a time zone from the list.'))
  await events.click(zone)
  await events.click(await screen.findByRole('option', { name: /Tokyo/ }))
  expect(await zoneField(/^Time zone: Asia\/Tokyo$/)).toBeVisible()
})

test('times are in UTC where the browser does not know the zone, and the settings change it', async () => {
  api.reply('getUser', user({ timezone: ZONE }))
  const events = await renderSignedIn('/dashboard/queue', 'Queue')
  expect(
    await screen.findByText("Times in UTC, as this browser doesn't know America/Olympus Mons"),
  ).toBeVisible()
  await events.click(screen.getByRole('link', { name: 'Settings' }))
  const zone = await zoneField(/^Time zone: America\/Olympus_Mons$/)
  await waitFor(() => expect(zone).toHaveValue('America/Olympus Mons'))
  await events.click(zone)
  await events.click(await screen.findByRole('option', { name: /Tokyo/ }))
  api.reply('setTimezone', user({ timezone: 'Asia/Tokyo' }))
  await events.click(button('Update time zone'))
  expect(await screen.findByText('Time zone updated.')).toBeVisible()
})

test('a post that was planned in an unknown zone is edited in UTC', async () => {
  answerComposer()
  api.reply('getPost', {
    ...post({ post_id: 7, publish_at: '2099-11-24T18:00:00.000Z', timezone: ZONE, version: 3 }),
    deliveries: [delivery({ status: 'scheduled', published_at: null })],
    events: [],
    targets: [{ delivery_id: 1, text: 'Lemon tart', options: {}, after_minutes: 0 }],
  })
  const events = await renderSignedIn('/dashboard/compose?edit=7', 'Edit post')
  await events.click(await screen.findByRole('button', { name: /^When:/ }))
  expect(await screen.findByLabelText('Hours')).toHaveValue('18')
  expect(screen.getByText(/^UTC time\./)).toBeVisible()
})

test('a draft that was planned in an unknown zone opens, and asks for another', async () => {
  answerComposer()
  const events = await openDraft({
    content: content({ publish_at: { local: '2099-11-24T18:00', timezone: ZONE } }),
  })
  await events.click(await screen.findByRole('button', { name: 'Schedule' }))
  expect(
    await screen.findAllByText(/^This browser doesn't know the time zone America\/Olympus Mons\. Change it/),
  ).not.toEqual([])
  expect(api.calls('createPost')).toEqual([])
})

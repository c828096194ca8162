import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { brand, user } from '#web/testing/data.ts'
import { identityProvider } from '#web/testing/identity-stub.ts'
import { button, field, findHeading, PASSWORD, renderApp, renderSignedIn } from '#web/testing/render-app.tsx'
import { noticeFilledFields } from './filled-fields.ts'

beforeEach(() => onTestFinished(noticeFilledFields()))

/** Fills a field by script. @param events which it sends then, as Chrome on iOS does */
function fillByScript(element: HTMLElement, value: string, events: readonly string[]): void {
  if (!(element instanceof HTMLInputElement)) throw new Error('not a field')
  element.value = value
  for (const type of events) element.dispatchEvent(new Event(type, { bubbles: true }))
}

const WAYS = [
  ['with plain events', ['input', 'change']],
  ['without an event', []],
] as const

test.each(WAYS)('a log-in sends what was filled in %s', async (_way, sent) => {
  const events = renderApp('/')
  await findHeading('Login')
  fillByScript(field('Email'), user().email, sent)
  fillByScript(screen.getByLabelText('Password'), PASSWORD, sent)
  await events.click(button('Login'))
  await findHeading('Overview')
  expect(identityProvider.calls('accounts:signInWithPassword')[0]).toMatchObject({
    email: user().email,
    password: PASSWORD,
  })
})

test.each(WAYS)('a new nickname that was filled in %s is saved', async (_way, sent) => {
  const events = await renderSignedIn('/dashboard/settings', 'Settings')
  fillByScript(await screen.findByLabelText('Nickname'), 'Grace', sent)
  api.reply('setNickname', user({ nickname: 'Grace' }))
  await events.type(screen.getByLabelText('Nickname'), '{Enter}')
  await waitFor(() => expect(api.calls('setNickname')[0]?.body).toEqual({ nickname: 'Grace' }))
})

test('a brand name that was filled in is taken, and typing goes on in it', async () => {
  api.reply('createBrand', brand({ title: 'Harbour Coffee' }))
  const events = await renderSignedIn('/dashboard/brands', 'Brands')
  await events.click(button('New Brand'))
  const name = await screen.findByLabelText('Brand Name')
  fillByScript(name, 'Harbour', ['input'])
  await events.type(name, ' Coffee{Enter}')
  await waitFor(() => expect(api.calls('createBrand')[0]?.body).toEqual({ title: 'Harbour Coffee' }))
})

import { screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { button, findAlert, findHeading, renderApp } from '#web/testing/render-app.tsx'
import { report } from '#web/testing/reports.ts'

test('a reader without an account sees the report of the address and prints it', async () => {
  api.reply('getSharedReport', report({ note: 'A good month.' }))
  const titles: string[] = []
  vi.stubGlobal('print', () => void titles.push(document.title))
  const events = renderApp('/report#secret')
  await findHeading('Northwind')
  expect(screen.getByText('A good month.')).toBeVisible()
  expect(screen.queryByRole('navigation')).not.toBeInTheDocument()
  await events.click(button('Print'))
  dispatchEvent(new Event('afterprint'))
  expect(titles).toEqual(['Northwind, October 2026'])
  vi.unstubAllGlobals()
  expect(
    api.calls('getSharedReport').map(({ params, headers }) => [params, headers['Authorization']]),
  ).toEqual([[{ token: 'secret' }, undefined]])
})

test('another address in the same tab shows its own report', async () => {
  api.reply('getSharedReport', ({ params }) =>
    report({ brand_title: params['token'] === 'secret' ? 'Northwind' : 'Harbour' }),
  )
  renderApp('/report#secret')
  await findHeading('Northwind')
  location.hash = '#other'
  await findHeading('Harbour')
})

test.each(['/report', '/report#ended'])(
  '%s says that there is no report, and asks nobody to log in',
  async (path) => {
    api.refuse('getSharedReport', 'not_found', 'There is no report at this address.')
    renderApp(path)
    await findHeading('No report here')
    expect(screen.getByText(/Ask the person who sent it/)).toBeVisible()
    expect(location.pathname).toBe('/report')
    expect(api.calls('getSharedReport')).toHaveLength(path === '/report' ? 0 : 1)
  },
)

test('a server that cannot be reached is tried again', async () => {
  api.disconnect('getSharedReport')
  const events = renderApp('/report#secret')
  await findAlert("Can't reach the server.")
  api.reply('getSharedReport', report())
  await events.click(button('Try again'))
  await findHeading('Northwind')
  await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
})

import { act, screen, waitFor } from '@testing-library/react'
import { globSync, readFileSync } from 'node:fs'
import { Suspense, useState, type ComponentType } from 'react'
import { expect, test, vi } from 'vitest'
import { button, findAlert, renderPart } from '#web/testing/render-app.tsx'
import { lazyDialog, lazyExtra, lazyPart } from './lazy-part.tsx'

/** A server that can be cut off, and code on it that an update can remove. */
function startServer<Props>(component: ComponentType<Props>) {
  const server = {
    isCutOff: true,
    isUpdated: false,
    load: vi.fn(async () => {
      if (!server.isCutOff && !server.isUpdated) return { default: component }
      const error = new TypeError('Failed to fetch dynamically imported module')
      dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: error }))
      throw error
    }),
    reconnect: () => {
      server.isCutOff = false
      act(() => void dispatchEvent(new Event('online')))
    },
  }
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (input !== '/favicon.svg') return real(input, init)
    if (server.isCutOff) throw new TypeError('Failed to fetch')
    return new Response()
  })
  return server
}

function TwoAccounts({ Part }: { Part: ComponentType<{ of: string }> }) {
  const [opened, setOpened] = useState('')
  return (
    <>
      {['ada', 'bo'].map((name) => (
        <button key={name} type="button" onClick={() => setOpened(name)}>
          {name}
        </button>
      ))}
      <Suspense>{opened !== '' && <Part key={opened} of={opened} />}</Suspense>
    </>
  )
}

function Picker({ Dialog }: { Dialog: ComponentType<{ onClose: () => void }> }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpened(true)}>
        Pick
      </button>
      <Suspense>{opened && <Dialog onClose={() => setOpened(false)} />}</Suspense>
    </>
  )
}

const Options = ({ of }: { of: string }) => <p>Options of {of}</p>

test('a part that cannot be loaded says so in its place, and opens once it can', async () => {
  const server = startServer(Options)
  const Part = lazyPart(server.load)
  const events = await renderPart(
    <>
      <h1>Accounts</h1>
      <Suspense>
        <Part of="ada" />
      </Suspense>
    </>,
  )
  await findAlert("Couldn't load this part of the page")
  expect(screen.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await events.click(button('Try again'))
  await waitFor(() => expect(button('Try again')).not.toHaveAttribute('data-loading'))
  expect(screen.queryByText('Options of ada')).toBeNull()
  server.reconnect()
  await screen.findByText('Options of ada')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a part that failed while offline opens without a message when it is used again', async () => {
  const server = startServer(Options)
  const events = await renderPart(<TwoAccounts Part={lazyPart(server.load)} />)
  await events.click(button('ada'))
  await findAlert("Couldn't load this part of the page")
  server.isCutOff = false
  await events.click(button('bo'))
  await screen.findByText('Options of bo')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a part whose code an update has removed offers to reload the page', async () => {
  const server = startServer(Options)
  Object.assign(server, { isCutOff: false, isUpdated: true })
  const Part = lazyPart(server.load)
  await renderPart(
    <Suspense>
      <Part of="ada" />
    </Suspense>,
  )
  await findAlert('Reelay was updated since you opened it. Reload the page.')
  expect(button('Reload page')).toBeVisible()
})

test('a dialog that cannot be loaded says so until it is closed', async () => {
  const server = startServer(({ onClose }: { onClose: () => void }) => (
    <button type="button" onClick={onClose}>
      Done
    </button>
  ))
  const events = await renderPart(<Picker Dialog={lazyDialog(server.load)} />)
  await events.click(button('Pick'))
  await findAlert("Couldn't load this part of the page")
  await events.click(button('Close'))
  expect(screen.queryByRole('alert')).toBeNull()
  server.isCutOff = false
  await events.click(button('Pick'))
  await events.click(await screen.findByRole('button', { name: 'Done' }))
  expect(screen.queryByRole('button', { name: 'Done' })).toBeNull()
})

test('what nobody waits for comes by itself, without a message', async () => {
  const server = startServer(Options)
  const Extra = lazyExtra(server.load)
  await renderPart(
    <Suspense>
      <Extra of="ada" />
    </Suspense>,
  )
  await waitFor(() => expect(fetch).toHaveBeenCalledWith('/favicon.svg', expect.anything()))
  expect(screen.queryByRole('alert')).toBeNull()
  server.reconnect()
  await screen.findByText('Options of ada')
})

test('every component that is loaded later has something to stand in its place', () => {
  const bare = globSync('src/web/**/*.tsx').filter((file) =>
    /import \{[^}]*\blazy\b[^}]*\} from 'react'/.test(readFileSync(file, 'utf8')),
  )
  expect(bare).toEqual(['src/web/ui/lazy-part.tsx'])
})

import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { Video } from '#contract/videos.ts'
import { PLAYBACK_FRESH_MS } from '#web/api/queries.ts'
import { api } from '#web/testing/api-stub.ts'
import { account, picture, playback, video } from '#web/testing/data.ts'
import { button, findAlert, renderPart } from '#web/testing/render-app.tsx'
import { Preview } from './preview.tsx'

const made = (id: number, username: string, platform: 'tiktok' | 'instagram') =>
  Account.parse(account({ account_id: id, username, platform, display_name: `The ${username}` }))
const ACCOUNTS = [
  { account: made(1, 'northwind', 'tiktok'), text: 'Plated three ways', pictureId: null, needsUser: false },
  {
    account: made(2, 'northwind.bakes', 'instagram'),
    text: 'From Sunday lunch',
    pictureId: 5,
    needsUser: false,
  },
  { account: made(3, 'harbour', 'tiktok'), text: 'With coffee', pictureId: null, needsUser: false },
  { account: made(4, 'atlas', 'instagram'), text: '', pictureId: null, needsUser: false },
]

function Shown({ accounts, poster = null }: { accounts: typeof ACCOUNTS; poster?: string | null }) {
  const [selected, setSelected] = useState<Account['account_id'] | null>(null)
  return (
    <Preview
      accounts={accounts}
      selected={selected}
      onSelect={setSelected}
      video={Video.parse(video({ poster_url: poster }))}
      coverMs={0}
      file={null}
    />
  )
}
beforeEach(() => api.reply('getPicture', picture({ picture_id: 5, url: '/pictures/five' })))
const open = (accounts = ACCOUNTS, poster?: string): Promise<UserEvent> =>
  renderPart(<Shown accounts={accounts} {...(poster !== undefined && { poster })} />)

const phone = () => within(screen.getByRole('tabpanel', { name: 'Phone' }))
const bottom = () => screen.getByTestId('safe-area').style.getPropertyValue('--bottom')
const tab = (name: string) => screen.getByRole('tab', { name: new RegExp(`@${name}$`) })

test('each account has a tab that shows its own name and caption', async () => {
  const events = await open()
  expect(tab('northwind')).toHaveAttribute('aria-selected', 'true')
  expect(phone().getByText('Plated three ways')).toBeVisible()
  await events.click(tab('northwind.bakes'))
  expect(phone().getByText('From Sunday lunch')).toBeVisible()
  expect(phone().getByText('northwind.bakes')).toBeVisible()
  expect(phone().queryByText('Plated three ways')).toBeNull()
})

test('TikTok and Instagram have frames of their own', async () => {
  const events = await open()
  expect(phone().getByText('For You')).toBeVisible()
  expect(phone().getByText('original sound · The northwind')).toBeVisible()
  await events.click(tab('northwind.bakes'))
  expect(phone().getByText('Reels')).toBeVisible()
  expect(phone().queryByText('For You')).toBeNull()
})

test('an account that needs something done is marked, also where it is in the menu', async () => {
  const events = await open(ACCOUNTS.map((one, at) => ({ ...one, needsUser: at === 1 || at === 3 })))
  expect(screen.getByRole('tab', { name: /@northwind.bakes, needs attention$/ })).toBeVisible()
  expect(tab('northwind')).toBeVisible()
  await events.click(button('2 more accounts, some need attention'))
  expect(await screen.findByRole('menuitem', { name: /@atlas, needs attention$/ })).toBeVisible()
  expect(screen.getByRole('menuitem', { name: /@harbour$/ })).toBeVisible()
})

test('arrow keys move between the tabs', async () => {
  const events = await open()
  tab('northwind').focus()
  await events.keyboard('{ArrowRight}')
  expect(tab('northwind.bakes')).toHaveFocus()
  expect(tab('northwind.bakes')).toHaveAttribute('aria-selected', 'true')
  await events.keyboard('{ArrowRight}')
  expect(tab('northwind')).toHaveFocus()
})

test('further accounts are in a menu, and the chosen one becomes a tab', async () => {
  const events = await open()
  expect(screen.getAllByRole('tab')).toHaveLength(2)
  await events.click(button('2 more accounts'))
  await events.click(await screen.findByRole('menuitem', { name: /@harbour$/ }))
  expect(tab('harbour')).toHaveAttribute('aria-selected', 'true')
  expect(screen.getAllByRole('tab')).toHaveLength(2)
  expect(phone().getByText('With coffee')).toBeVisible()
})

test("the switch shows what each platform's app covers", async () => {
  const events = await open()
  expect(screen.queryByTestId('safe-area')).toBeNull()
  await events.click(screen.getByLabelText('Show safe area'))
  expect(bottom()).toBe('19.3%')
  await events.click(tab('northwind.bakes'))
  expect(bottom()).toBe('35%')
})

test('the stored picture is shown where the page has no file', async () => {
  await open(ACCOUNTS, '/posters/abc')
  expect(phone().getByRole('img', { name: 'Cover' })).toHaveAttribute('src', '/posters/abc')
})

test('without an account the phone says what to choose', async () => {
  await open([])
  expect(screen.getByText('Choose an account to see the post as its followers will.')).toBeVisible()
  expect(screen.queryByRole('tab')).toBeNull()
})

test('a caption longer than the app shows ends with "more", which opens it', async () => {
  // As if every twenty letters were a line of 18 px.
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockImplementation(function (this: Element) {
    return Math.ceil(this.textContent.length / 20) * 18
  })
  vi.spyOn(window, 'getComputedStyle').mockImplementation(
    () => ({ lineHeight: '18px', getPropertyValue: () => '' }) as unknown as CSSStyleDeclaration,
  )
  const text = 'Three ways to plate a lemon tart, from Sunday lunch to the shop window.'
  const events = await open([
    { account: made(1, 'northwind', 'tiktok'), text, pictureId: null, needsUser: false },
  ])
  const more = phone().getByText('more', { selector: 'button' })
  expect(more.parentElement).toHaveTextContent('Three ways to plate a lemon tart… more')
  await events.click(more)
  expect(more.parentElement).toHaveTextContent(`${text} less`)
})

const cover = () => phone().getByRole('img', { name: 'Cover' })

test('an own picture is the cover of its account alone', async () => {
  const events = await open(ACCOUNTS, '/posters/abc')
  expect(cover()).toHaveAttribute('src', '/posters/abc')
  await events.click(tab('northwind.bakes'))
  await waitFor(() => expect(cover()).toHaveAttribute('src', '/pictures/five'))
  await events.click(tab('northwind'))
  expect(cover()).toHaveAttribute('src', '/posters/abc')
})

/** The phone's video, once it is there. */
const player = (): Promise<HTMLVideoElement> =>
  waitFor(() => {
    const found = screen.getByRole('tabpanel', { name: 'Phone' }).querySelector('video')
    if (!found) throw new Error('no video is shown')
    return found
  })

test('a stored video is played, paused, and gives way to its cover at the end', async () => {
  const pause = vi.spyOn(HTMLMediaElement.prototype, 'pause').mockReturnValue()
  const play = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
  const events = await open(ACCOUNTS, '/posters/abc')
  await events.click(button('Play the video'))
  expect(await player()).toHaveAttribute('src', '/media/an-hour.mp4')
  fireEvent.play(await player())
  await events.click(button('Pause the video'))
  expect(pause).toHaveBeenCalledOnce()
  fireEvent.pause(await player())
  await events.click(button('Play the video'))
  expect(play).toHaveBeenCalledOnce()
  fireEvent.play(await player())
  await events.click(tab('northwind.bakes'))
  expect(button('Pause the video')).toBeVisible()
  fireEvent.ended(await player())
  expect(screen.getByRole('tabpanel').querySelector('video')).toBeNull()
  expect(phone().getByRole('img', { name: 'Cover' })).toBeVisible()
})

test('a video that this browser cannot play says so, and can be tried again', async () => {
  const events = await open()
  await events.click(button('Play the video'))
  fireEvent.error(await player())
  await findAlert("This video can't be played here.")
  await events.click(button('Play the video'))
  fireEvent.play(await player())
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a video whose address has ended meanwhile is played from a new one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const events = await open()
  await events.click(button('Play the video'))
  const first = await player()
  vi.setSystemTime(Date.now() + PLAYBACK_FRESH_MS)
  api.reply('createPlayback', playback({ url: '/media/another-hour.mp4' }))
  fireEvent.error(first)
  await waitFor(async () => expect(await player()).toHaveAttribute('src', '/media/another-hour.mp4'))
  expect(screen.queryByRole('alert')).toBeNull()
})

import { act, screen, waitFor, within } from '@testing-library/react'
import { userEvent, type UserEvent } from '@testing-library/user-event'
import { expect } from 'vitest'
import type { EndpointName } from '#contract/api/api.ts'
import { PATHS } from '#web/lib/paths.ts'
import { api, type StubbedCall } from './api-stub.ts'
import { professional, today } from './composer.ts'
import { account, brand, creator, post, video, videosPage } from './data.ts'
import { button, fill, renderSignedIn } from './render-app.tsx'
import { fixtureFile } from './sample-files.ts'

export const TITLE = 'Three ways to plate a tart'
export const CAPTION = 'Fresh from the oven #bakery'

const tiktok = account({ account_id: 1, username: 'northwind' })
const instagram = account({ account_id: 2, username: 'northwind.bakes', platform: 'instagram' })
export const tiktokOptions = { ...creator(), today }

/** One account on each platform, and a server that takes what it is sent. */
export function answerUploadForms(): void {
  api.reply('listBrands', [brand()])
  api.reply('listAccounts', [tiktok, instagram])
  api.reply('getAccountOptions', ({ params }) => (params['accountId'] === '1' ? tiktokOptions : professional))
  api.reply('listVideos', videosPage(video()))
  api.reply('postTikTokVideo', post())
  api.reply('postInstagramMedia', post())
  api.reply('uploadVideo', video())
}

export const openUpload = (): Promise<UserEvent> => renderSignedIn(PATHS.upload, 'Upload')

/** The Upload screen once its forms can be sent. */
export async function openForms(): Promise<UserEvent> {
  const events = await openUpload()
  await waitFor(() => expect(privacy()).toHaveValue('Public'))
  return events
}

type Form = 'TikTok video' | 'Instagram video' | 'Video file'
export const part = (name: Form): HTMLElement => screen.getByRole('region', { name })
export const tiktokForm = (): HTMLElement => part('TikTok video')
export const instagramForm = (): HTMLElement => part('Instagram video')
export const fileForm = (): HTMLElement => part('Video file')

export const title = (): HTMLElement => within(tiktokForm()).getByLabelText(/^Title/)
export const caption = (): HTMLElement => within(instagramForm()).getByLabelText(/^Caption/)
export const privacy = (): HTMLElement =>
  within(tiktokForm()).getByRole('combobox', { name: 'Who can see this video' })
export const videoOf = (form: HTMLElement): HTMLElement =>
  within(form).getByLabelText(/^Video( file)?$/, { selector: 'input' })
export const publishOf = (form: HTMLElement): HTMLElement => button(/^(Publish to|Upload video)/, form)
export const alertOf = (form: HTMLElement): Promise<HTMLElement> => within(form).findByRole('alert')

/** Unlike a file chooser, this takes what is no video, as a drop does. */
export async function choose(form: HTMLElement, file: File = fixtureFile('good.mp4')): Promise<void> {
  await userEvent.upload(videoOf(form), file, { applyAccept: false })
  await waitFor(() => expect(within(form).queryByText(/reading…$/)).toBeNull())
}

/** The sample video with 5 MB behind it: where none of it is reported as sent, it cannot have arrived. */
export function largeFile(): File {
  const unused = new Uint8Array(5_000_000)
  new DataView(unused.buffer).setUint32(0, unused.length)
  unused.set(new TextEncoder().encode('free'), 4)
  return new File([fixtureFile('good.mp4'), unused], 'good.mp4', { type: 'video/mp4' })
}

/** Fills the TikTok form and sends it. */
export async function sendTikTok(events: UserEvent, file?: File): Promise<void> {
  await fill(events, title(), TITLE)
  await choose(tiktokForm(), file)
  await events.click(publishOf(tiktokForm()))
}

/** The request of this number, once it is made. */
export async function sentCall(name: EndpointName, count = 1): Promise<StubbedCall> {
  await waitFor(() => expect(api.calls(name)).toHaveLength(count))
  return api.calls(name)[count - 1] ?? expect.unreachable()
}

/** The browser reports this share of a file as sent. */
export function report(call: StubbedCall, share: number, { size }: File): void {
  act(() => call.uploaded(size * share, size))
}

export const keyOf = ({ headers }: StubbedCall): unknown => headers['Idempotency-Key']

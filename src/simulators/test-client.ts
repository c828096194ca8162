import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { startPractice, type Practice } from './practice.ts'

export interface Client extends Practice {
  dir: string
  control: (method: string, path: string, body?: unknown) => Promise<unknown>
  posts: () => Promise<
    {
      platform: string
      id: string
      account: string
      text: string
      sha256: string
      url: string
      comments?: { account: string; text: string }[]
    }[]
  >
  calls: () => Promise<
    { call: string; account: string; status: number | null; flag?: string; detail?: string }[]
  >
}

const dirs: string[] = []
// Registered before all hooks of the importing file, so it runs after them.
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })))

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'practice-'))
  dirs.push(dir)
  return dir
}

export const start = async (dir = tempDir()): Promise<Client> =>
  createClient(await startPractice({ port: 0, dir }), dir)

export async function createClient(practice: Practice, dir: string): Promise<Client> {
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${practice.url}/_control${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text === '' ? null : JSON.parse(text)
  }
  await control('POST', '/settings', {
    tiktok_processing_ms: 0,
    tiktok_moderation_ms: 0,
    instagram_processing_ms: 0,
    youtube_processing_ms: 0,
  })
  return {
    ...practice,
    dir,
    control,
    posts: async () => (await control('GET', '/posts')) as Awaited<ReturnType<Client['posts']>>,
    calls: async () => (await control('GET', '/calls')) as Awaited<ReturnType<Client['calls']>>,
  }
}

export const sampleVideo = (): Buffer => readFileSync(join(import.meta.dirname, 'feed/sample.mp4'))

/** An interrupted download: the index promises more. */
export const halfVideo = (): Buffer => sampleVideo().subarray(0, sampleVideo().length >> 1)

/** A download with a reserved size: the second half is empty. */
export const hollowVideo = (): Buffer => sampleVideo().fill(0, sampleVideo().length >> 1)

/** Lengthens the sample video by a box that players skip. */
export function paddedVideo(bytes: number): Buffer {
  const video = sampleVideo()
  const free = Buffer.alloc(bytes - video.length, 7)
  free.writeUInt32BE(free.length, 0)
  free.write('free', 4, 'latin1')
  return Buffer.concat([video, free])
}

/** Repeats until the answer is good, or fails after two minutes. */
export async function until<T>(ask: () => Promise<T>, good: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 2400; tries += 1) {
    const answer = await ask()
    if (good(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`still ${JSON.stringify(await ask())}`)
}

const tiktokRedirect = 'http://localhost:4400/dashboard/oauth/tiktok/callback'

export interface TikTokTokens {
  access_token: string
  refresh_token: string
  open_id: string
  scope: string
  expires_in: number
}

export const tiktokAuthorize = (change: Record<string, string> = {}): URLSearchParams =>
  new URLSearchParams({
    client_key: 'practice-tiktok-key',
    response_type: 'code',
    scope: 'user.info.basic,video.publish',
    redirect_uri: tiktokRedirect,
    state: 'a state',
    ...change,
  })

export async function consent(
  url: string,
  choice: { creator: string; decision: 'approve' | 'deny'; untick?: string },
): Promise<URL> {
  const page = await (await fetch(url)).text()
  const form = new URLSearchParams()
  for (const [, name = '', value = ''] of page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.append(name, value.replaceAll('&amp;', '&'))
  }
  for (const [, value = ''] of page.matchAll(/type="checkbox" name="scope" value="([^"]*)"/g)) {
    if (value !== choice.untick) form.append('scope', value)
  }
  form.set('creator', choice.creator)
  form.set('decision', choice.decision)
  const action = /<form[^>]* action="([^"]*)"/.exec(page)?.[1] ?? ''
  const answer = await fetch(new URL(action, url), { method: 'POST', body: form, redirect: 'manual' })
  if (answer.status !== 302) throw new Error(`the consent page answered ${answer.status}`)
  return new URL(answer.headers.get('location') ?? '')
}

export const tiktokToken = async (client: Client, fields: Record<string, string>): Promise<unknown> =>
  (
    await fetch(`${client.url}/tiktok/v2/oauth/token/`, {
      method: 'POST',
      body: new URLSearchParams({
        client_key: 'practice-tiktok-key',
        client_secret: 'practice-tiktok-secret',
        ...fields,
      }),
    })
  ).json()

export const tiktokCodeFields = (code: string): Record<string, string> => ({
  code,
  grant_type: 'authorization_code',
  redirect_uri: tiktokRedirect,
})

export async function linkTikTok(
  client: Client,
  creator = 'nova',
  untick = '',
  scope = 'user.info.basic,video.publish',
): Promise<TikTokTokens> {
  const url = `${client.url}/tiktok/v2/auth/authorize/?${tiktokAuthorize({ scope }).toString()}`
  const back = await consent(url, { creator, decision: 'approve', untick })
  return (await tiktokToken(client, tiktokCodeFields(back.searchParams.get('code') ?? ''))) as TikTokTokens
}

export interface TikTokAnswer {
  status: number
  text: string
  error: { code: string; message: string }
  data: {
    publish_id: string
    upload_url: string
    status: string
    fail_reason?: string
    uploaded_bytes: number
  }
}

export async function tiktokPost(
  client: Client,
  token: string,
  path: string,
  body: unknown,
): Promise<TikTokAnswer> {
  const response = await fetch(`${client.url}/tiktok/v2/post/publish/${path}/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, ...(JSON.parse(text) as Pick<TikTokAnswer, 'error' | 'data'>) }
}

export const initBody = (
  size: number,
  chunk = size,
  count = Math.floor(size / chunk),
  info: Record<string, unknown> = {},
): object => ({
  post_info: { title: 'Hello', privacy_level: 'PUBLIC_TO_EVERYONE', ...info },
  source_info: { source: 'FILE_UPLOAD', video_size: size, chunk_size: chunk, total_chunk_count: count },
})

export const putChunk = (url: string, video: Buffer, first: number, last: number): Promise<Response> =>
  fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'video/mp4', 'content-range': `bytes ${first}-${last}/${video.length}` },
    body: new Uint8Array(video.subarray(first, last + 1)),
  })

const instagramRedirect = 'http://localhost:4400/dashboard/oauth/instagram/callback'

export const instagramAuthorize = (change: Record<string, string> = {}): URLSearchParams =>
  new URLSearchParams({
    client_id: '1000000000000001',
    response_type: 'code',
    scope: 'instagram_business_basic,instagram_business_content_publish',
    redirect_uri: instagramRedirect,
    state: 'a state',
    ...change,
  })

export const instagramToken = (
  client: Client,
  code: string,
  change: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${client.url}/instagram/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: '1000000000000001',
      client_secret: 'practice-instagram-secret',
      grant_type: 'authorization_code',
      redirect_uri: instagramRedirect,
      code,
      ...change,
    }),
  })

export async function linkInstagram(
  client: Client,
  creator = 'nova',
  untick = '',
  change: Record<string, string> = {},
): Promise<string> {
  const url = `${client.url}/instagram/oauth/authorize?${instagramAuthorize(change).toString()}`
  const back = await consent(url, { creator, decision: 'approve', untick })
  const short = (await (await instagramToken(client, back.searchParams.get('code') ?? '')).json()) as Token
  const query = new URLSearchParams({
    grant_type: 'ig_exchange_token',
    client_secret: 'practice-instagram-secret',
    access_token: short.access_token,
  })
  const long = await fetch(`${client.url}/instagram/access_token?${query.toString()}`)
  return ((await long.json()) as Token).access_token
}

interface Token {
  access_token: string
}

export interface GraphAnswer {
  status: number
  id: string
  status_code?: string
  data: Record<string, unknown>[]
  error?: { code: number; error_subcode?: number; message: string }
  [field: string]: unknown
}

export async function graph(
  client: Client,
  token: string,
  path: string,
  form?: Record<string, string>,
): Promise<GraphAnswer> {
  const response = await fetch(`${client.url}/instagram/v25.0/${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  })
  const answer = (await response.json()) as GraphAnswer
  // The HTTP status would overwrite a container's `status` sentence.
  return { ...answer, sentence: answer.status, status: response.status }
}

const youtubeRedirect = 'http://localhost:4400/dashboard/oauth/youtube/callback'
const scopeOf = (name: string): string => `https://www.googleapis.com/auth/${name}`

export const youtubeAuthorize = (change: Record<string, string> = {}): URLSearchParams =>
  new URLSearchParams({
    client_id: '100000000001-practice.apps.googleusercontent.com',
    response_type: 'code',
    scope: `${scopeOf('youtube.upload')} ${scopeOf('youtube.readonly')}`,
    redirect_uri: youtubeRedirect,
    access_type: 'offline',
    prompt: 'consent',
    state: 'a state',
    ...change,
  })

export interface YouTubeTokens {
  access_token: string
  refresh_token?: string
  scope: string
  expires_in: number
  id_token?: string
  error?: string
}

export async function youtubeToken(client: Client, fields: Record<string, string>): Promise<YouTubeTokens> {
  const answer = await fetch(`${client.url}/youtube/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: '100000000001-practice.apps.googleusercontent.com',
      client_secret: 'practice-youtube-secret',
      ...fields,
    }),
  })
  return (await answer.json()) as YouTubeTokens
}

export const youtubeCodeFields = (code: string): Record<string, string> => ({
  code,
  grant_type: 'authorization_code',
  redirect_uri: youtubeRedirect,
})

export async function linkYouTube(
  client: Client,
  creator = 'nova',
  change: Record<string, string> = {},
  untick = '',
): Promise<YouTubeTokens> {
  const url = `${client.url}/youtube/o/oauth2/v2/auth?${youtubeAuthorize(change).toString()}`
  const back = await consent(url, { creator, decision: 'approve', untick: untick && scopeOf(untick) })
  return youtubeToken(client, youtubeCodeFields(back.searchParams.get('code') ?? ''))
}

export interface YouTubeAnswer {
  status: number
  headers: Headers
  items?: Record<string, Record<string, unknown>>[]
  error?: { code: number; errors?: { reason: string; domain: string }[]; status?: string }
  [field: string]: unknown
}

/** A call of the API, by its path below `/youtube`. */
export async function youtubeCall(
  client: Client,
  token: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<YouTubeAnswer> {
  const answer = await fetch(`${client.url}/youtube${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const fields = (text === '' ? {} : JSON.parse(text)) as object
  return { ...fields, status: answer.status, headers: answer.headers }
}

export const youtubeInitiate = (
  client: Client,
  token: string,
  bytes: number,
  resource: object = {
    snippet: { title: 'A title', description: 'Hello' },
    status: { privacyStatus: 'public', selfDeclaredMadeForKids: false },
  },
): Promise<YouTubeAnswer> =>
  youtubeCall(client, token, '/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status', resource, {
    'x-upload-content-length': String(bytes),
    'x-upload-content-type': 'video/mp4',
  })

/** `first` null: a probe. */
export const youtubePut = (
  session: string,
  token: string,
  video: Buffer,
  first: number | null,
  last = video.length - 1,
): Promise<Response> =>
  fetch(session, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'video/mp4',
      'content-range': first === null ? `bytes */${video.length}` : `bytes ${first}-${last}/${video.length}`,
    },
    body: first === null ? '' : new Uint8Array(video.subarray(first, last + 1)),
  })

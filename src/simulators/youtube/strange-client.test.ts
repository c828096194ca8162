import { createHash } from 'node:crypto'
import { auth, youtube } from '@googleapis/youtube'
import { expect, test } from 'vitest'
import { consent, paddedVideo, start, until, youtubeAuthorize } from '../test-client.ts'

test("Google's published client links, uploads, probes and reads the status", async () => {
  const practice = await start()
  const root = `${practice.url}/youtube`
  const login = new auth.OAuth2({
    clientId: '100000000001-practice.apps.googleusercontent.com',
    clientSecret: 'practice-youtube-secret',
    redirectUri: youtubeAuthorize().get('redirect_uri') ?? '',
    endpoints: { oauth2AuthBaseUrl: `${root}/o/oauth2/v2/auth`, oauth2TokenUrl: `${root}/token` },
  })
  const address = login.generateAuthUrl({
    access_type: 'offline',
    prompt: 'consent',
    scope: (youtubeAuthorize().get('scope') ?? '').split(' '),
  })
  const back = await consent(address, { creator: 'atlas', decision: 'approve' })
  const { tokens } = await login.getToken(back.searchParams.get('code') ?? '')
  expect(tokens.refresh_token).toMatch(/^1\/\//)
  login.setCredentials(tokens)

  const client = youtube({ version: 'v3', auth: login })
  // A rootUrl of the client itself would lose its path.
  const here = { rootUrl: `${root}/` }
  const channels = await client.channels.list({ part: ['id', 'snippet'], mine: true }, here)
  expect(channels.data.items?.[0]?.snippet?.customUrl).toBe('@atlas')

  const video = paddedVideo(700_000)
  const asked = {
    part: ['snippet', 'status'],
    requestBody: { snippet: { title: 'From a stranger' }, status: { privacyStatus: 'unlisted' } },
    uploadType: 'resumable',
  }
  const begun = await client.videos.insert(asked, {
    url: `${root}/upload/youtube/v3/videos`,
    headers: { 'x-upload-content-length': String(video.length), 'x-upload-content-type': 'video/mp4' },
  })
  // Its types say a record, or fetch's own; it is the latter.
  const session = (begun.headers as unknown as Headers).get('location') ?? ''
  const put = (range: string, body: Buffer): Promise<{ status: number; data: unknown; headers: Headers }> =>
    login.request({
      url: session,
      method: 'PUT',
      headers: { 'content-range': range, 'content-length': String(body.length), 'content-type': 'video/mp4' },
      body: new Uint8Array(body),
      validateStatus: (status) => status === 308 || status < 300,
    })
  const first = await put(`bytes 0-524287/${video.length}`, video.subarray(0, 524_288))
  const probe = await put(`bytes */${video.length}`, Buffer.alloc(0))
  expect([first.status, probe.status, probe.headers.get('range')]).toEqual([308, 308, 'bytes=0-524287'])
  const last = await put(`bytes 524288-${video.length - 1}/${video.length}`, video.subarray(524_288))
  const { id } = last.data as { id: string }
  const status = await until(
    async () => (await client.videos.list({ part: ['status'], id: [id] }, here)).data.items?.[0]?.status,
    (now) => now?.uploadStatus === 'processed',
  )
  expect(status?.privacyStatus).toBe('unlisted')
  const sha256 = createHash('sha256').update(video).digest('hex')
  expect(await practice.posts()).toMatchObject([{ account: 'atlas', sha256 }])
  await practice.close()
})

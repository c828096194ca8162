import { Readable } from 'node:stream'
import type { PublishJob } from '../kit/platform.ts'
import type { Scripted, ScriptedServer } from '../kit/scripted-server.ts'
import type { YouTubeConfig } from './api/config.ts'

/** 2026-11-22 12:00 in Los Angeles. */
export const NOW = Date.UTC(2026, 10, 22, 20)

export const configAt = (server: ScriptedServer, more: Partial<YouTubeConfig> = {}): YouTubeConfig => ({
  mode: 'practice',
  clientId: '1-a.apps.googleusercontent.com',
  clientSecret: 'client-secret',
  authorizeUrl: `${server.url}/o/oauth2/v2/auth`,
  oauthUrl: server.url,
  apiUrl: server.url,
  analyticsUrl: server.url,
  uploadHosts: [new URL(server.url).host],
  videoUrl: 'https://www.youtube.com',
  appPublished: true,
  appVerified: true,
  ...more,
})

export const answer = (body: unknown, status = 200): Scripted => ({ status, body: JSON.stringify(body) })

/** "Errors": Google's form. */
export const refusal = (status: number, reason: string, more: object = {}): Scripted =>
  answer({ error: { code: status, message: 'no', errors: [{ reason, message: 'no' }], ...more } }, status)

export const OPTIONS = { title: 'Baking bread', privacy: 'unlisted', made_for_kids: false }

export const jobOf = (size: number, more: Partial<PublishJob> = {}): PublishJob => ({
  account: { accessToken: 'ya29.secret', externalId: 'UC1', username: 'ann' },
  text: 'How to bake',
  options: OPTIONS,
  video: {
    size,
    mime: 'video/mp4',
    durationS: 10,
    read: (first, last) => Promise.resolve(Readable.from([Buffer.alloc(last - first + 1)])),
    address: () => Promise.reject(new Error('not pulled')),
  },
  pictureAddress: () => Promise.resolve(null),
  siblings: () => Promise.resolve({ postIds: [], unknown: [] }),
  signal: new AbortController().signal,
  ...more,
})

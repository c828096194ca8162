import { expect, test } from 'vitest'
import { readConfig } from '../runtime/config.ts'
import { helpRoutes } from './help.ts'

const ASKED = {
  params: undefined,
  query: undefined,
  body: undefined,
  user: undefined,
  token: undefined,
  key: null,
  file: undefined,
  idempotencyKey: null,
  markReplayed: () => undefined,
  language: null,
  via: 'direct' as const,
  host: 'localhost',
  ip: '127.0.0.1',
  gone: new AbortController().signal,
}
const helpOf = (env: Record<string, string>) => helpRoutes({ config: readConfig(env) }).getHelp(ASKED)

test('the help shows the redirect URI that PUBLIC_URL gives a platform', async () => {
  const env = {
    PUBLIC_URL: 'https://reelay.example.com/',
    PRACTICE: 'off',
    TIKTOK_CLIENT_KEY: 'key',
    TIKTOK_CLIENT_SECRET: 'secret',
  }
  const { tiktok } = readConfig(env).platforms
  const { platforms } = await helpOf(env)
  expect(platforms).toEqual([
    {
      id: 'tiktok',
      mode: 'live',
      return_address: 'https://reelay.example.com/dashboard/oauth/tiktok/callback',
      scopes: ['user.info.basic', 'video.upload', 'video.publish'],
      hooks: [{ called: 'Webhook callback URL', address: 'https://reelay.example.com/hooks/tiktok/events' }],
    },
    {
      id: 'instagram',
      mode: 'off',
      return_address: 'https://reelay.example.com/dashboard/oauth/instagram/callback',
      scopes: ['instagram_business_basic', 'instagram_business_content_publish'],
      hooks: [
        {
          called: 'Deauthorize callback URL',
          address: 'https://reelay.example.com/hooks/instagram/deauthorize',
        },
        {
          called: 'Data deletion request URL',
          address: 'https://reelay.example.com/hooks/instagram/delete-data',
        },
      ],
    },
    {
      id: 'youtube',
      mode: 'off',
      return_address: 'https://reelay.example.com/dashboard/oauth/youtube/callback',
      scopes: [
        'openid',
        'https://www.googleapis.com/auth/youtube.upload',
        'https://www.googleapis.com/auth/youtube.readonly',
      ],
      hooks: [],
    },
  ])
  expect(tiktok.mode === 'off' ? null : tiktok.redirectUri).toBe(platforms[0]?.return_address)
})

test('the help says whether email is sent, kept or hosted', async () => {
  const firebase = {
    IDENTITY: 'firebase',
    FIREBASE_API_KEY: 'key',
    FIREBASE_PROJECT_ID: 'project',
    FIREBASE_AUTH_DOMAIN: 'project.firebaseapp.com',
  }
  expect((await helpOf({})).mail).toBe('kept')
  expect((await helpOf({ SMTP_URL: 'smtps://user:password@smtp.example.com:465' })).mail).toBe('sent')
  expect((await helpOf(firebase)).mail).toBe('hosted')
})

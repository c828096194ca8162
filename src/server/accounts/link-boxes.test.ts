import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BrandId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { ok } from '#domain/delivery/failure.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { type Person, signUp, startTestServer, type TestServer } from '#test/support/test-server.ts'

const READ = 'https://www.googleapis.com/auth/youtube.readonly'
const ANALYTICS = 'https://www.googleapis.com/auth/yt-analytics.readonly'
const UPLOAD = 'https://www.googleapis.com/auth/youtube.upload'

let testServer: TestServer
let ada: Person
let brandId: BrandId
let granted: readonly string[] = []
let verifier = ''

beforeAll(async () => {
  testServer = await startTestServer()
  const real = testServer.deps.platforms.youtube
  if (real === null) throw new Error('YouTube is on in tests.')
  const platforms: Record<PlatformId, Platform | null> = testServer.deps.platforms
  const now = testServer.deps.now()
  platforms.youtube = {
    ...real,
    exchangeCode: ({ codeVerifier }) => {
      verifier = codeVerifier
      return Promise.resolve(
        ok({
          tokens: {
            accessToken: 'ya29.1',
            accessExpiresAt: now + 3_600_000,
            refreshToken: '1//r',
            refreshExpiresAt: now + 100 * 86_400_000,
            issuedAt: now,
          },
          scopes: granted,
          externalId: null,
          ownerId: '1157',
        }),
      )
    },
    profile: () =>
      Promise.resolve(
        ok({ externalId: 'UC1', appScopedId: null, username: 'ann', displayName: 'Ann', avatarUrl: null }),
      ),
  }
  ada = await signUp(testServer)
  brandId = (await ada.call('createBrand', { body: { title: 'Northwind' } })).brand_id
})
afterAll(() => testServer.stop())

const params = { platform: 'youtube' } as const
const start = () => ada.call('startLink', { params, body: { brand_id: brandId } })
const finish = (state: string) => ada.call('finishLink', { params, body: { code: 'c', state } })

it.each([
  [[], '“Manage your YouTube videos” and “View your YouTube account”'],
  [[READ], '“Manage your YouTube videos”'],
  [[UPLOAD], '“View your YouTube account”'],
])('a link is refused without both boxes, and names what was unticked (%j)', async (scopes, boxes) => {
  granted = scopes
  const { state } = await start()
  await expect(finish(state)).rejects.toThrow(
    `You did not allow ${boxes}, which Reelay needs to post. Start again and tick every box.`,
  )
})

it('the box for more results may be left unticked', async () => {
  granted = [READ, UPLOAD]
  const { url, state } = await ada.call('startLink', {
    params,
    body: { brand_id: brandId, permissions: ['results'] },
  })
  expect(new URL(url).searchParams.get('scope')?.split(' ')).toContain(ANALYTICS)
  expect(await finish(state)).toMatchObject({
    can_publish: true,
    permissions: [
      { name: 'comments', granted: false },
      { name: 'results', granted: false },
    ],
  })
})

it('the code is exchanged with the secret of its own attempt, whose hash the consent page got', async () => {
  granted = [READ, UPLOAD]
  const { url, state } = await start()
  const challenge = new URL(url).searchParams.get('code_challenge')
  expect(new URL((await start()).url).searchParams.get('code_challenge')).not.toBe(challenge)
  expect(await finish(state)).toMatchObject({ platform: 'youtube', username: 'ann', can_publish: true })
  expect(verifier).toMatch(/^[\w-]{43}$/)
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge)
  const { grant_owner_id } = await testServer.deps.db
    .selectFrom('accounts')
    .select('grant_owner_id')
    .where('external_id', '=', 'UC1')
    .executeTakeFirstOrThrow()
  expect(grant_owner_id).toBe('1157')
})

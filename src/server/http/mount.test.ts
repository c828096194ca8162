import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import type { User } from '#contract/users.ts'
import { type Handlers, mountApi, type MountDeps } from './mount.ts'
import { createUserLimit } from './user-limit.ts'

const app = Fastify()
afterEach(() => app.close())

test('a reply has only what its contract names, and one that breaks it is not sent', async () => {
  const brand = {
    brand_id: 1,
    title: 'Bakery',
    linkedAccounts: 0,
    color: null,
    logo_url: null,
    timezone: null,
    paused: false,
    paused_until: null,
    created_at: '2026-11-23T12:00:00.000Z',
  }
  const replies: unknown[] = [[{ ...brand, user_id: 7 }], [{ ...brand, title: { secret: 'not a text' } }]]
  const deps: Partial<MountDeps> = {
    userLimit: createUserLimit(),
    authenticate: async () => ({ user: { user_id: 1 } as User, key: null }),
  }
  const handlers = { listBrands: async () => replies.shift() }
  await mountApi(app, deps as MountDeps, handlers as unknown as Handlers)
  const list = () => app.inject({ url: '/brands', headers: { authorization: 'Bearer token' } })

  expect((await list()).json()).toEqual([brand])
  const broken = await list()
  expect(broken.statusCode).toBe(500)
  expect(broken.body).not.toContain('secret')
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccountId, BrandId, PresetId } from '#contract/ids.ts'
import { PRESETS_MAX } from '#contract/limits.ts'
import type { Preset } from '#contract/presets.ts'
import {
  linkAccount,
  type Person,
  signUp,
  startTestServer,
  type TestServer,
} from '#test/support/test-server.ts'

let testServer: TestServer
let ada: Person
let eve: Person
let brandId: BrandId
let tiktok: AccountId
let instagram: AccountId

beforeAll(async () => {
  testServer = await startTestServer()
  ;[ada, eve] = await Promise.all([signUp(testServer, 'Ada'), signUp(testServer, 'Eve')])
  ;({ brand_id: brandId } = await ada.call('createBrand', { body: { title: 'Northwind' } }))
  tiktok = (await linkAccount(ada, { platform: 'tiktok', brandId })).account_id
  instagram = (await linkAccount(ada, { platform: 'instagram', brandId })).account_id
})
afterAll(() => testServer.stop())
beforeEach(() => testServer.deps.db.deleteFrom('presets').execute())

const setOf = (name: string, ...account_ids: AccountId[]) =>
  ({ kind: 'accounts', name, content: { account_ids } }) as const
const textOf = (name: string, text: string, brand: BrandId | null = null) =>
  ({ kind: 'text', name, brand_id: brand, content: { text } }) as const
const optionsOf = (name: string, options: Record<string, unknown>) =>
  ({ kind: 'options', name, content: { platform: 'tiktok', options } }) as const

const send = async (method: string, address: string, body: unknown, who = ada) => {
  const answer = await who.request(address, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  return { status: answer.status, body: (await answer.json()) as { errors?: object; code?: string } }
}
const post = (body: unknown, who = ada) => send('POST', '/presets', body, who)
const patch = (presetId: PresetId, body: unknown) => send('PATCH', `/presets/${presetId}`, body)
const list = (who = ada) => who.call('listPresets')
const NAME_TAKEN = { status: 422, body: { errors: { name: [expect.stringContaining('already')] } } }
const CONFLICT = { status: 409, body: { code: 'conflict' } }
const NOT_FOUND = { status: 404, body: { code: 'not_found' } }
const REFUSED = { status: 422, body: { code: 'invalid' } }

describe('presets', () => {
  it('of all kinds are listed by name, and only for their user', async () => {
    await ada.call('createPreset', { body: textOf('signature', 'Come by', brandId) })
    await ada.call('createPreset', { body: optionsOf('Client ads', { promotional: true, branded: true }) })
    await ada.call('createPreset', { body: setOf('Cafés', tiktok, instagram) })
    expect(await list()).toMatchObject([
      {
        kind: 'accounts',
        name: 'Cafés',
        content: { account_ids: [tiktok, instagram] },
        gone: [],
        version: 1,
      },
      {
        kind: 'options',
        name: 'Client ads',
        content: { platform: 'tiktok', options: { promotional: true, branded: true } },
      },
      { kind: 'text', name: 'signature', brand_id: brandId, content: { text: 'Come by' } },
    ])
    expect(await list(eve)).toEqual([])
  })

  it('have names of their own among those of their kind, whatever the case', async () => {
    await ada.call('createPreset', { body: textOf('ΣΊΣΥΦΟΣ', 'Come by') })
    expect(await post(textOf('σίσυφοσ', 'Another'))).toMatchObject(NAME_TAKEN)
    expect(await post(setOf('Σίσυφοσ', tiktok))).toMatchObject({ status: 201 })
    const other = await ada.call('createPreset', { body: textOf('Other', 'Other') })
    expect(await patch(other.preset_id, { kind: 'text', version: 1, name: 'σίσυφοσ' })).toMatchObject(
      NAME_TAKEN,
    )
    expect(await post(textOf('Say “hi”', 'Hi'))).toMatchObject(REFUSED)
  })

  it('are saved once, however often and however concurrently that is asked', async () => {
    const saved = await Promise.all(Array.from({ length: 6 }, () => post(setOf('Cafés', tiktok))))
    expect(saved.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(await list()).toHaveLength(1)
  })

  it('are limited', async () => {
    const { user_id } = await ada.call('getUser')
    const rows = Array.from({ length: PRESETS_MAX }, (_, i) => ({
      user_id,
      kind: 'text',
      name: `Text ${i}`,
      content: JSON.stringify({ text: 'Come by' }),
      created_at: new Date(),
      updated_at: new Date(),
    }))
    await testServer.deps.db.insertInto('presets').values(rows).execute()
    expect(await post(textOf('One more', 'Come by'))).toMatchObject(CONFLICT)
    expect(await post(textOf('Text 7', 'Come by'))).toMatchObject({ status: 201 })
  })

  it('are deleted once', async () => {
    const { preset_id: presetId } = await ada.call('createPreset', { body: textOf('Signature', 'Come by') })
    await ada.call('deletePreset', { params: { presetId } })
    expect(await list()).toEqual([])
    expect((await ada.request(`/presets/${presetId}`, { method: 'DELETE' })).status).toBe(404)
  })
})

describe('a change', () => {
  let saved: Preset
  beforeEach(async () => {
    saved = await ada.call('createPreset', { body: textOf('Signature', 'Come by', brandId) })
  })

  it('keeps what it leaves out', async () => {
    const id = saved.preset_id
    expect((await patch(id, { kind: 'text', version: 1, name: 'SIGNATURE' })).status).toBe(200)
    expect(await list()).toMatchObject([
      { name: 'SIGNATURE', version: 2, brand_id: brandId, content: { text: 'Come by' } },
    ])
    expect((await patch(id, { kind: 'text', version: 2, brand_id: null })).status).toBe(200)
    expect((await patch(id, { kind: 'text', version: 3, content: { text: 'Bye' } })).status).toBe(200)
    expect(await list()).toMatchObject([
      { name: 'SIGNATURE', version: 4, brand_id: null, content: { text: 'Bye' } },
    ])
  })

  it('of another version is refused, but the same change again succeeds', async () => {
    const change = { kind: 'text', version: 1, content: { text: 'First tab' } }
    expect((await patch(saved.preset_id, change)).status).toBe(200)
    expect((await patch(saved.preset_id, change)).status).toBe(200)
    expect(await patch(saved.preset_id, { ...change, content: { text: 'Second tab' } })).toMatchObject(
      CONFLICT,
    )
    expect(await list()).toMatchObject([{ version: 2, content: { text: 'First tab' } }])
  })

  it('cannot make another kind of it', async () => {
    expect(await patch(saved.preset_id, { ...setOf('Set', tiktok), version: 1 })).toMatchObject(REFUSED)
  })
})

describe('a set', () => {
  it("takes only the user's own accounts, each once", async () => {
    expect(await post(setOf('Theirs', tiktok), eve)).toMatchObject(NOT_FOUND)
    expect(await post(setOf('Twice', tiktok, tiktok))).toMatchObject(REFUSED)
    expect(await post(setOf('None'))).toMatchObject(REFUSED)
  })

  it('keeps and names an account that is no longer linked', async () => {
    const gone = await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })
    const saved = await ada.call('createPreset', { body: setOf('Cafés', tiktok, gone.account_id) })
    await ada.call('unlinkAccount', { params: { accountId: gone.account_id } })
    const named = { account_id: gone.account_id, platform: 'tiktok', name: `@${gone.username ?? ''}` }
    expect(await list()).toMatchObject([
      { content: { account_ids: [tiktok, gone.account_id] }, gone: [named] },
    ])
    expect(await patch(saved.preset_id, { kind: 'accounts', version: 1, name: 'Bakeries' })).toMatchObject({
      body: { name: 'Bakeries', gone: [named] },
    })
    await linkAccount(ada, { platform: 'tiktok', brandId, creator: 'atlas' })
    expect(await list()).toMatchObject([{ gone: [] }])
  })
})

describe('a saved text', () => {
  it("of a brand is the user's own, and is deleted with the brand", async () => {
    const { brand_id: other } = await ada.call('createBrand', { body: { title: 'Harbour' } })
    expect(await post(textOf('Theirs', 'Come by', other), eve)).toMatchObject(NOT_FOUND)
    await ada.call('createPreset', { body: textOf('Harbour', 'By the sea', other) })
    await ada.call('createPreset', { body: textOf('All', 'Come by') })
    await ada.call('deleteBrand', { params: { brandId: other }, query: {} })
    expect(await list()).toMatchObject([{ name: 'All' }])
    expect(await post(textOf('Late', 'Come by', other))).toMatchObject(NOT_FOUND)
  })

  it('is not blank, and no longer than a caption', async () => {
    expect(await post(textOf('Blank', ' \n'))).toMatchObject(REFUSED)
    expect(await post(textOf('Long', 'a'.repeat(2201)))).toMatchObject(REFUSED)
    expect(await post(textOf('Fits', 'a'.repeat(2200)))).toMatchObject({ status: 201 })
  })
})

describe('saved options', () => {
  it.each([
    ['an unknown option', { unknown: true }],
    ["one video's cover", { coverMs: 1200 }],
    ['what a post had', { posted: { privacy_level: 'SELF_ONLY' } }],
    ['more than a preset holds', { privacy: 'a'.repeat(9000) }],
  ])('are refused with %s', async (_what, options) => {
    expect(await post(optionsOf('Ads', options))).toMatchObject(REFUSED)
  })

  it('are refused with a title, a thumbnail or a comment of one video', async () => {
    const content = { platform: 'youtube', options: { title: 'Tart', privacy: 'public', firstComment: 'Hi' } }
    const { body } = await post({ kind: 'options', name: 'Shorts', content })
    expect(Object.keys(body.errors ?? {})).toEqual(['content.options.title', 'content.options.firstComment'])
  })
})

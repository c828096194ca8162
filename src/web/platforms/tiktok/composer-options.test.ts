import { expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import { account, creator } from '#web/testing/data.ts'
import type { PanelContext } from '#web/platforms/kit/panel.ts'
import { tiktokOptions, type ComposerChoices } from './composer-options.tsx'

const context: PanelContext = { options: creator(), account: null, auditForm: false, video: null, text: '' }
const chosen = (change: Partial<ComposerChoices> = {}): ComposerChoices => ({
  ...tiktokOptions.empty,
  ...change,
})
const judged = (change: Partial<ComposerChoices>, its = context) =>
  tiktokOptions.validate(chosen(change), its)
const UNDISCLOSED = 'You need to indicate if your content promotes yourself, a third party, or both.'

test('nothing is disclosed and nothing labelled by default', () => {
  expect(judged({})).toMatchObject({
    ok: true,
    info: { brand_organic_toggle: false, brand_content_toggle: false, is_aigc: false },
  })
})

test('a draft for the inbox needs no other choice, and sends none', () => {
  const draft = judged({ inbox: true, promotional: true }, { ...context, auditForm: true })
  expect(draft).toMatchObject({ ok: true, info: { post_mode: 'MEDIA_UPLOAD', brand_content_toggle: false } })
  expect(tiktokOptions.summary(chosen({ inbox: true }), context)).toBe('Draft for the inbox')
  expect(tiktokOptions.fromOptions(draft.ok && draft.info)).toEqual(chosen({ inbox: true }))
})

test('a draft is refused without its permission, and past ten minutes', () => {
  const withheld = [{ name: 'inbox_draft' as const, granted: false }]
  const linked = Account.parse(account({ permissions: withheld }))
  expect(judged({ inbox: true }, { ...context, account: linked })).toEqual({
    ok: false,
    errors: { post_mode: 'Allow drafts, or post directly.' },
  })
  expect(judged({}, { ...context, account: linked })).toMatchObject({ ok: true })
  const video = { ...UNKNOWN_FACTS, duration_s: 601 }
  expect(judged({ inbox: true }, { ...context, video })).toEqual({
    ok: false,
    errors: { post_mode: 'A draft may last up to 10 min.' },
  })
})

test('a disclosure says whom the video promotes', () => {
  expect(judged({ promotional: true })).toEqual({
    ok: false,
    errors: { brand_organic_toggle: UNDISCLOSED },
  })
  expect(judged({ promotional: true, ownBrand: true })).toMatchObject({
    info: { brand_organic_toggle: true, brand_content_toggle: false },
  })
  expect(judged({ promotional: true, ownBrand: true, branded: true, ai: true })).toMatchObject({
    info: { brand_organic_toggle: true, brand_content_toggle: true, is_aigc: true },
  })
})

test('a missing audience and a missing disclosure are both named', () => {
  expect(judged({ promotional: true }, { ...context, auditForm: true })).toEqual({
    ok: false,
    errors: { privacy_level: 'Choose who can see this video.', brand_organic_toggle: UNDISCLOSED },
  })
})

test('branded content that only some may see is refused, and nothing is changed for it', () => {
  const errors = { privacy_level: 'Branded content can only be public or for friends.' }
  const branded = { promotional: true, branded: true }
  expect(judged({ ...branded, privacy: 'SELF_ONLY' })).toEqual({ ok: false, errors })
  const followers = creator({ privacy_levels: ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'] })
  const its = { ...context, options: followers }
  expect(judged({ ...branded, privacy: 'FOLLOWER_OF_CREATOR' }, its)).toEqual({ ok: false, errors })
  expect(judged({ ...branded, privacy: 'MUTUAL_FOLLOW_FRIENDS' })).toMatchObject({ ok: true })
  expect(judged({ ...branded, promotional: false, privacy: 'SELF_ONLY' })).toMatchObject({ ok: true })
})

test('the options are summarised in a few words, or not at all until an audience is chosen', () => {
  const summary = (change: Partial<ComposerChoices>, its = context) =>
    tiktokOptions.summary(chosen(change), its)
  expect(summary({})).toBe('Public, comments on')
  expect(summary({ privacy: 'SELF_ONLY', comment: false })).toBe('Private, comments off')
  expect(summary({ privacy: 'MUTUAL_FOLLOW_FRIENDS', ai: true })).toBe('Friends, comments on, AI-generated')
  expect(summary({ promotional: true, ownBrand: true })).toBe('Public, comments on, promotional content')
  expect(summary({ promotional: true, ownBrand: true, branded: true })).toBe(
    'Public, comments on, paid partnership',
  )
  expect(summary({}, { ...context, auditForm: true })).toBe('')
})

test('the options of an earlier post are chosen again, and unreadable ones are not', () => {
  const before = { duet: false, coverMs: 1500, promotional: true, branded: true, ai: true }
  const sent = judged(before)
  expect(sent.ok && tiktokOptions.fromOptions(sent.info)).toEqual({
    ...chosen(before),
    privacy: 'PUBLIC_TO_EVERYONE',
    comment: true,
    stitch: true,
  })
  expect(tiktokOptions.fromOptions({ privacy_level: 'EVERYBODY' })).toEqual(tiktokOptions.empty)
})

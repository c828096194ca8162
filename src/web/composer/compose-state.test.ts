import { describe, expect, test } from 'vitest'
import { AccountId, VideoId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { coverOf, OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import {
  composeReducer,
  EMPTY_CONTENT,
  isWorthSaving,
  optionsOf,
  startState,
  targetOf,
  textOf,
  type ComposeAction,
} from './compose-state.ts'

const [one, two] = [AccountId.parse(1), AccountId.parse(2)]
const after = (...actions: ComposeAction[]) =>
  actions.reduce(composeReducer, startState({ ...EMPTY_CONTENT, text: 'Shared' }))
const both: ComposeAction = { type: 'select', accountIds: [one, two] }
const customise = (accountId: AccountId, custom = true): ComposeAction => ({
  type: 'customise text',
  accountId,
  custom,
  from: 'Shared',
})
const forTikTok = (text: string | null): ComposeAction => ({
  type: 'set platform text',
  platform: 'tiktok',
  text,
})
const textFor = (state: ReturnType<typeof after>, id: AccountId, platform: PlatformId = 'instagram') =>
  textOf(state.content, targetOf(state.content, id), platform)

const feed = (shareToFeed: boolean) => ({
  ...OPTION_PANELS.instagram.fromOptions(null),
  shareToFeed,
})
const optionsFor = (state: ReturnType<typeof after>, id: AccountId) =>
  optionsOf(state.content, targetOf(state.content, id), 'instagram')

describe('captions', () => {
  test('are shared until an account has its own, which starts as a copy', () => {
    const state = after(both, customise(one), { type: 'set text', text: 'Shared again' })
    expect(textFor(state, one)).toBe('Shared')
    expect(textFor(state, two)).toBe('Shared again')
  })

  test('of one account are changed and reset without the other', () => {
    const typed = after(both, customise(one), { type: 'set account text', accountId: one, text: 'Own' })
    expect([textFor(typed, one), textFor(typed, two)]).toEqual(['Own', 'Shared'])
    const reset = composeReducer(typed, { type: 'set account text', accountId: one, text: null })
    expect(textFor(reset, one)).toBe('Shared')
    expect(textFor(composeReducer(reset, customise(one)), one)).toBe('Shared')
  })

  test('that were switched off come back with the switch', () => {
    const typed = after(both, customise(one), { type: 'set account text', accountId: one, text: 'Own' })
    const off = composeReducer(typed, customise(one, false))
    expect(textFor(off, one)).toBe('Shared')
    expect(textFor(composeReducer(off, customise(one)), one)).toBe('Own')
  })

  test('of a platform go to its accounts that have none of their own', () => {
    const state = after(both, customise(one), forTikTok('For TikTok'))
    expect(textFor(state, one, 'tiktok')).toBe('Shared')
    expect(textFor(state, two, 'tiktok')).toBe('For TikTok')
    expect(textFor(state, two, 'instagram')).toBe('Shared')
    const reset = composeReducer(state, forTikTok(null))
    expect(textFor(reset, two, 'tiktok')).toBe('Shared')
    expect(reset.content).not.toHaveProperty('platform_texts')
  })

  test('may be empty', () => {
    const empty = after(both, customise(one), { type: 'set account text', accountId: one, text: '' })
    expect(textFor(empty, one)).toBe('')
  })
})

describe('accounts', () => {
  test('are in a post once, however often they are selected', () => {
    expect(after(both, both, { type: 'select', accountIds: [two] }).content.targets).toHaveLength(2)
  })

  test('that are left out and selected again have what was typed for them', () => {
    const typed = after(both, customise(one), { type: 'set account text', accountId: one, text: 'Own' })
    const left = composeReducer(typed, { type: 'clear', accountIds: [one] })
    expect(left.content.targets.map(({ account_id }) => account_id)).toEqual([two])
    expect(textFor(composeReducer(left, both), one)).toBe('Own')
  })
})

describe('options', () => {
  test('are those of the platform until an account has its own', () => {
    const state = after(
      both,
      { type: 'set platform options', platform: 'instagram', options: feed(false) },
      { type: 'set account options', accountId: one, options: feed(true) },
    )
    expect(optionsFor(state, one)).toMatchObject({ shareToFeed: true })
    expect(optionsFor(state, two)).toMatchObject({ shareToFeed: false })
    const reset = composeReducer(state, { type: 'set account options', accountId: one, options: null })
    expect(optionsFor(reset, one)).toMatchObject({ shareToFeed: false })
  })

  test('of every account have the one cover', () => {
    const state = after(
      both,
      { type: 'set account options', accountId: one, options: feed(true) },
      { type: 'set cover', coverMs: 1500 },
    )
    expect(coverOf(state.content.platform_options)).toBe(1500)
    expect(optionsFor(state, one)).toMatchObject({ shareToFeed: true, coverMs: 1500 })
    expect(optionsFor(state, two)).toMatchObject({ shareToFeed: true, coverMs: 1500 })
  })
})

const set = (platform: PlatformId, pictureId: number | null) =>
  ({ type: 'set picture', platform, pictureId, accountIds: [one, two] }) as const

test('an own cover belongs to its platform, and other options of it stay', () => {
  const options: ComposeAction = {
    type: 'set platform options',
    platform: 'instagram',
    options: feed(false),
  }
  const chosen = after(options, set('instagram', 7))
  expect(chosen.content.platform_options.instagram).toMatchObject({ shareToFeed: false, cover_picture_id: 7 })
  expect(composeReducer(chosen, set('tiktok', 7))).toBe(chosen)
  const removed = composeReducer(chosen, set('instagram', null))
  expect(removed.content.platform_options.instagram).toMatchObject({ cover_picture_id: null })
})

const withPictureOf = (accountId: AccountId, pictureId: number | null): ComposeAction => ({
  type: 'set account options',
  accountId,
  options: { ...feed(true), cover_picture_id: pictureId },
})

test('an own cover reaches accounts with own options that have no picture of their own', () => {
  const chosen = after(both, withPictureOf(one, null), withPictureOf(two, 9), set('instagram', 7))
  expect(optionsFor(chosen, one)).toMatchObject({ cover_picture_id: 7 })
  expect(optionsFor(chosen, two)).toMatchObject({ cover_picture_id: 9 })
})

test('a draft is worth saving once it has a video or a word', () => {
  expect(isWorthSaving(EMPTY_CONTENT)).toBe(false)
  expect(isWorthSaving({ ...EMPTY_CONTENT, text: ' \n' })).toBe(false)
  expect(isWorthSaving({ ...EMPTY_CONTENT, text: 'Tart' })).toBe(true)
  expect(isWorthSaving({ ...EMPTY_CONTENT, video_id: VideoId.parse(1) })).toBe(true)
  const own = { account_id: one, text: 'Own', options: null }
  expect(isWorthSaving({ ...EMPTY_CONTENT, targets: [own] })).toBe(true)
  expect(isWorthSaving({ ...EMPTY_CONTENT, targets: [{ ...own, text: null }] })).toBe(false)
})

const minutesOf = ({ content }: ReturnType<typeof after>) =>
  content.targets.map(({ account_id, after_minutes = 0 }) => [account_id, after_minutes])

describe('the minutes after which accounts get the post', () => {
  const three = AccountId.parse(3)
  const all: ComposeAction = { type: 'select', accountIds: [one, two, three] }
  const spread = (minutes: number, order = [one, two, three]): ComposeAction => ({
    type: 'spread',
    minutes,
    order,
  })
  test('are evenly apart in the order of the accounts, or in another one', () => {
    expect(minutesOf(after(all, spread(60)))).toEqual([
      [1, 0],
      [2, 30],
      [3, 60],
    ])
    expect(minutesOf(after(all, spread(60, [three, one, two])))).toEqual([
      [3, 0],
      [1, 30],
      [2, 60],
    ])
    expect(after(all, spread(60), spread(0))).toEqual(after(all))
  })

  test('stay evenly apart with more or fewer accounts', () => {
    const pair = after(both, spread(60))
    expect(minutesOf(pair)).toEqual([
      [1, 0],
      [2, 60],
    ])
    const more = composeReducer(pair, { type: 'select', accountIds: [three] })
    expect(minutesOf(more)).toEqual([
      [1, 0],
      [2, 30],
      [3, 60],
    ])
    expect(minutesOf(composeReducer(more, { type: 'clear', accountIds: [three] }))).toEqual([
      [1, 0],
      [2, 60],
    ])
  })

  test('of one account are its own, and the others keep theirs', () => {
    const own = after(all, spread(60), { type: 'set account time', accountId: two, minutes: 45 })
    expect(minutesOf(own)).toEqual([
      [1, 0],
      [2, 45],
      [3, 60],
    ])
    expect(minutesOf(composeReducer(own, { type: 'clear', accountIds: [three] }))).toEqual([
      [1, 0],
      [2, 45],
    ])
  })

  test('are not brought back where the accounts get it at the same time now', () => {
    const apart = after(all, spread(60), { type: 'clear', accountIds: [three] }, spread(0, [one, two]))
    expect(minutesOf(composeReducer(apart, { type: 'select', accountIds: [three] }))).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ])
  })
})

import { describe, expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { AccountId } from '#contract/ids.ts'
import { AccountNow } from '#contract/platforms/index.ts'
import { SimilarPost } from '#contract/posts.ts'
import { Video } from '#contract/videos.ts'
import { planFix } from '#domain/video-check/fix-plan.ts'
import { OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { account, video } from '#web/testing/data.ts'
import { selectable, selectionOf } from './account-selection.ts'
import { listChecks } from './checks.ts'
import { ApiProblem } from '#web/api/api.ts'
import { readinessOf, type Judged, type LiveAccount, type Outgoing } from './readiness.ts'

const today = { sent: 0, waiting: 0, used: null, total: null, usual: null, stopped: null }
const creator = AccountNow.parse({
  platform: 'tiktok',
  username: 'northwind',
  nickname: 'Northwind',
  avatar_url: null,
  privacy_levels: ['PUBLIC_TO_EVERYONE', 'SELF_ONLY'],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_duration_s: 600,
  notice: null,
  today,
})

const live = (
  its: Partial<LiveAccount> = {},
  its_account: Parameters<typeof account>[0] = {},
): LiveAccount => ({
  account: Account.parse(account(its_account)),
  selected: true,
  started: null,
  pause: null,
  isOff: false,
  auditForm: false,
  now: creator,
  today,
  failure: null,
  retry: () => undefined,
  ...its,
})
const good = Video.parse(video())
const outgoing = (its: Partial<Outgoing> = {}): Outgoing => ({
  text: 'Tart',
  textOf: 'all',
  toInbox: false,
  options: null,
  afterMinutes: 0,
  hasOwnOptions: false,
  video: good,
  refused: {},
  ...its,
})
const ready = (one: LiveAccount, its: Partial<Outgoing> = {}) =>
  readinessOf(one, outgoing(its), () => 'at six')
const judged = (one: LiveAccount, its: Partial<Outgoing> = {}): Judged => ({
  live: one,
  readiness: ready(one, its),
  outgoing: outgoing(its),
})

const checks = (its: Partial<Parameters<typeof listChecks>[0]>) =>
  listChecks({
    video: good,
    isUploading: false,
    isAsking: false,
    videoFix: null,
    judged: [judged(live())],
    text: 'Tart',
    gone: [],
    similar: [],
    momentOf: (at) => `at ${at.slice(0, 10)}`,
    now: Date.parse('2026-11-22T12:00:00.000Z'),
    timeProblem: null,
    timeFix: null,
    refused: { caption: null, video: null, time: null },
    ...its,
  })

describe('an account', () => {
  test('is ready where its platform takes all of it', () => {
    expect(ready(live())).toEqual({ kind: 'ready' })
    expect(ready(live({ selected: false, now: null }))).toEqual({ kind: 'unselected' })
  })

  test('cannot be chosen while it must be linked again or its platform is not set up', () => {
    const health = { status: 'relink' as const, reason: 'TikTok ended the link.' }
    expect(ready(live({}, { health }))).toEqual({ kind: 'relink', why: 'TikTok ended the link.' })
    expect(ready(live({}, { can_publish: false }))).toMatchObject({ kind: 'relink' })
    expect(ready(live({ isOff: true }))).toEqual({
      kind: 'off',
      why: 'TikTok is not set up on this server.',
    })
  })

  test('waits for its platform’s answer where its options depend on it', () => {
    expect(ready(live({ now: null }))).toEqual({ kind: 'loading' })
    expect(ready(live({ now: null, failure: new Error('Refused.') }))).toMatchObject({ where: 'row' })
    const message = 'TikTok has banned this account from posting.'
    const failure = new ApiProblem({ kind: 'refused', code: 'platform_refused', message })
    expect(ready(live({ now: null, failure }))).toMatchObject({ where: 'platform', what: message })
    expect(ready(live({ failure }))).toEqual({ kind: 'held', why: message, until: null })
    expect(ready(live({ now: null }, { platform: 'instagram' }))).toEqual({ kind: 'ready' })
  })

  test('names what is missing, and where', () => {
    expect(ready(live({ auditForm: true }))).toEqual({
      kind: 'missing',
      where: 'row',
      what: 'Choose who can see this video.',
    })
    const long = 'x'.repeat(2201)
    const tooLong = { kind: 'missing', what: 'Use at most 2200 characters.' }
    expect(ready(live(), { text: long })).toEqual({ ...tooLong, where: 'caption' })
    expect(ready(live(), { text: long, textOf: 'account' })).toEqual({ ...tooLong, where: 'row' })
    const short = Video.parse(video({ facts: { ...video().facts, duration_s: 700 } }))
    expect(ready(live(), { video: short })).toMatchObject({ kind: 'missing', where: 'video' })
  })

  test('is held where its platform takes no post now, and its post waits', () => {
    const stopped = {
      message: 'TikTok takes no more posts today.',
      until: '2026-11-23T09:40:00.000Z',
      limit: true,
    }

    const held = { kind: 'held', why: 'TikTok takes no more posts today.', until: 'at six' }
    expect(ready(live({ today: { ...today, stopped } }))).toEqual(held)
    expect(ready(live({ today: { ...today, stopped }, now: null, selected: false }))).toEqual(held)
  })
})

describe('select all', () => {
  const free = judged(live({ selected: false }, { account_id: 1 }))
  const relink = judged(live({ selected: false, isOff: true }, { account_id: 2 }))
  const chosen = judged(live({}, { account_id: 3 }))

  test('skips accounts that cannot be posted to', () => {
    expect(selectable([free, relink, chosen])).toEqual([free, chosen])
    expect(selectionOf([chosen, relink])).toBe('all')
    expect(selectionOf([free, chosen])).toBe('some')
    expect(selectionOf([free, relink])).toBe('none')
  })
})

describe('the checks', () => {
  test('are none where all is well', () => {
    expect(checks({})).toEqual([])
  })

  test('ask for a video, an account and a time', () => {
    const empty = checks({ video: null, judged: [], timeProblem: 'This time has passed.' })
    expect(empty.map(({ text, place }) => [text, place?.at])).toEqual([
      ['Choose a video.', 'video'],
      ['Choose at least one account.', 'accounts'],
      ['This time has passed.', 'time'],
    ])
    expect(checks({ video: null, isUploading: true })).toEqual([])
  })

  test('say a fault of the shared caption once, and each account’s own by its name', () => {
    const long = { text: 'x'.repeat(2201) }
    const two = [1, 2].map((id) => judged(live({}, { account_id: id }), long))
    const own = judged(live({}, { account_id: 3, username: 'own' }), { ...long, textOf: 'account' })
    expect(checks({ judged: [...two, own] }).map(({ who, place }) => [who, place?.at])).toEqual([
      [null, 'caption'],
      ['@own', 'account'],
    ])
  })

  test('lead from a fault of a platform’s caption to its card', () => {
    const long = { text: 'x'.repeat(2201), textOf: 'platform' } as const
    const two = [1, 2].map((id) => judged(live({}, { account_id: id }), long))
    expect(checks({ judged: two }).map(({ place, fix }) => [place, fix])).toEqual([
      [{ at: 'options', platform: 'tiktok' }, null],
    ])
  })

  test('say once what a platform finds in the video, and stop only what it refuses', () => {
    const facts = { ...video().facts, width: 1920, height: 1080 }
    const wide = checks({
      video: Video.parse(video({ facts })),
      judged: [1, 2].map((id) => judged(live({}, { account_id: id }))),
    })
    expect(wide).toHaveLength(1)
    expect(wide[0]).toMatchObject({ level: 'look', who: 'TikTok' })
    const short = { ...video().facts, duration_s: 0.4 }
    const refused = checks({ video: Video.parse(video({ facts: short })) })
    expect(refused.find(({ key }) => key === 'finding tiktok too_short')).toMatchObject({ level: 'stop' })
  })

  test('name selected accounts that are not linked any more', () => {
    expect(checks({ gone: [AccountId.parse(9)] })).toMatchObject([
      {
        level: 'stop',
        text: 'One account is not linked any more.',
        fix: { label: 'Leave out', action: { type: 'clear', accountIds: [9] } },
      },
    ])
  })
})

test('a repetition of the last days is named and keeps nothing from going out', () => {
  const { account_id } = live().account
  const similar = [
    SimilarPost.parse({ account_id, post_id: 7, same: 'video', goes_out_at: '2026-11-20T09:00:00.000Z' }),
    SimilarPost.parse({ account_id: 99, post_id: 8, same: 'text', goes_out_at: '2026-11-20T09:00:00.000Z' }),
  ]
  expect(checks({ similar }).map(({ level, text }) => [level, text])).toEqual([
    ['look', 'The same video was sent here (at 2026-11-20).'],
  ])
  const later = similar.map((one) => ({
    ...one,
    same: 'both' as const,
    goes_out_at: '2026-11-24T09:00:00.000Z',
  }))
  expect(checks({ similar: later }).map(({ text }) => text)).toEqual([
    'The same video and caption is scheduled here (at 2026-11-24).',
  ])
  const timed = later.map((one) => ({ ...one, same: 'time' as const }))
  expect(checks({ similar: timed }).map(({ text }) => text)).toEqual([
    'Another post is scheduled here at the same time (at 2026-11-24).',
  ])
  expect(checks({ similar, judged: [] }).map(({ key }) => key)).toEqual(['accounts'])
})

test('what is only worth knowing of several accounts is said once', () => {
  const at = { post_id: 7, same: 'video', goes_out_at: '2026-11-20T09:00:00.000Z' }
  const ids = [1, 2, 3]
  const similar = ids.map((account_id) => SimilarPost.parse({ ...at, account_id }))
  const all = checks({ similar, judged: ids.map((account_id) => judged(live({}, { account_id }))) })
  expect(all).toMatchObject([{ who: '3 accounts', fix: { action: { type: 'clear', accountIds: ids } } }])
})

test('an account is paused with its pause’s end', () => {
  const pause = { of: { accountId: live().account.account_id }, name: 'Northwind', until: null }
  expect(ready(live({ pause }))).toMatchObject({
    kind: 'paused',
    why: 'Posting here is paused until you resume it.',
  })
  expect(ready(live({ pause: { ...pause, until: '2026-11-23T09:40:00.000Z' } }))).toMatchObject({
    why: 'Posting here is paused until at six.',
  })
})

const fixes = (its: Parameters<typeof checks>[0]) => checks(its).map(({ fix }) => fix)

describe('a check offers', () => {
  const tags = '#a '.repeat(31)
  const comment = { ...OPTION_PANELS.instagram.fromOptions(null), firstComment: 'Recipe' }
  const withheld = live({}, { platform: 'instagram', permissions: [{ name: 'comments', granted: false }] })
  const onInstagram = live({}, { platform: 'instagram' })
  test('to keep as many hashtags of the shared caption as its platforms take', () => {
    const one = judged(onInstagram, { text: tags })
    expect(fixes({ judged: [one], text: tags })).toEqual([
      {
        does: 'change',
        label: 'Keep the first 30 hashtags',
        action: { type: 'set text', text: `${'#a '.repeat(29)}#a ` },
      },
    ])
    const long = `${tags}${'x'.repeat(2200)}`
    expect(fixes({ judged: [judged(onInstagram, { text: long })], text: long })).toEqual([null])
  })

  test('the shared caption where it fits and the own one does not', () => {
    const one = judged(onInstagram, { text: tags, textOf: 'account' })
    const [toShared] = fixes({ judged: [one] })
    expect(toShared).toMatchObject({ action: { type: 'set account text', accountId: 1, text: null } })
    const [toTrimmed] = fixes({ judged: [one], text: tags })
    expect(toTrimmed).toMatchObject({ action: { type: 'set account text', accountId: 1 } })
  })

  test('to convert the video, for what conversion changes about it', () => {
    const wide = Video.parse(video({ facts: { ...good.facts, width: 2160, height: 3840, duration_s: 1200 } }))
    const videoFix = planFix(wide.facts, wide.size, [{ platform: 'instagram' }])
    const one = judged(onInstagram, { video: wide })
    expect(fixes({ video: wide, judged: [one], videoFix })).toEqual([
      null,
      { does: 'fix video', label: 'Fix', plan: videoFix },
    ])
    expect(fixes({ video: wide, judged: [one], videoFix, isUploading: true })).toEqual([null, null])
  })

  test('to post without the comment that an account has not allowed', () => {
    const [fix] = fixes({ judged: [judged(withheld, { options: comment })] })
    expect(fix).toMatchObject({
      label: 'Post without a comment',
      action: { type: 'set account options', accountId: 1, options: { ...comment, firstComment: '' } },
    })
  })

  test('to link again, to try again, or to leave an account out', () => {
    const relink = live({}, { health: { status: 'relink', reason: 'Ended.' } })
    const unread = live({ now: null, failure: new Error('No answer.') })
    const held = live({
      today: { ...today, stopped: { message: 'Full.', until: '2026-11-22T18:00:00Z', limit: true } },
    })
    expect(fixes({ judged: [relink, unread, held].map((one) => judged(one)) })).toMatchObject([
      { does: 'link again', account: { account_id: 1 } },
      { does: 'try again' },
      { label: 'Leave out', action: { type: 'clear', accountIds: [1] } },
    ])
  })
})

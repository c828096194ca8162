import { describe, expect, it } from 'vitest'
import { PostChange } from '#contract/posts.ts'
import { planEdit, type Present } from './plan-edit.ts'

const POST = { text: 'Shared', videoId: 7 }
const delivery = (accountId: number, its: Partial<Present> = {}): Present => ({
  deliveryId: accountId * 10,
  accountId,
  platform: 'instagram',
  text: 'Shared',
  options: { share_to_feed: true },
  afterMinutes: 0,
  stage: 'waiting',
  ...its,
})
const toInbox = { platform: 'tiktok', text: '', options: { post_mode: 'MEDIA_UPLOAD' } }
const target = (account_id: number, its: object = {}) => ({ account_id, ...its })

/** Accounts by what becomes of them, and the texts that are asked for. */
function plan(deliveries: readonly Present[], change: object) {
  const { asked, removed, concerned } = planEdit(
    POST,
    deliveries,
    PostChange.parse({ version: 1, ...change }),
  )
  return {
    asked: asked.map(({ target: { accountId, text }, present }) =>
      [accountId, text, present === null ? 'joins' : 'stays'].join(' '),
    ),
    removed: removed.map(({ accountId }) => accountId),
    concerned: concerned.map(({ accountId }) => accountId),
  }
}
const nothing = { asked: [], removed: [], concerned: [] }

describe('a change of the text', () => {
  it.each([
    ['is taken by those with the shared text', [delivery(1), delivery(2, { text: 'Own' })], ['1 New stays']],
    ['leaves those that have started', [delivery(1), delivery(2, { stage: 'started' })], ['1 New stays']],
    ['is no change of an own text', [delivery(1, { text: 'Own' })], []],
  ] as const)('%s', (_, deliveries, asked) => {
    expect(plan(deliveries, { text: 'New' })).toEqual({ ...nothing, asked })
  })

  it('concerns all where nothing waits any more, and none where it stays', () => {
    const over = [delivery(1, { stage: 'started' }), delivery(2, { stage: 'over' })]
    expect(plan(over, { text: 'New' })).toEqual({ ...nothing, concerned: [1, 2] })
    expect(plan(over, { text: 'Shared' })).toEqual(nothing)
  })
})

describe('a change of the video', () => {
  it('is one for each account, and waits for nothing that was cancelled', () => {
    const deliveries = [delivery(1), delivery(2, { text: 'Own' }), delivery(3, { stage: 'over' })]
    expect(plan(deliveries, { video_id: 8 })).toEqual({
      ...nothing,
      asked: ['1 Shared stays', '2 Own stays'],
    })
    expect(plan(deliveries, { video_id: 7 })).toEqual(nothing)
  })

  it('concerns each account that has started, whatever else is asked', () => {
    const deliveries = [delivery(1), delivery(2, { stage: 'started' })]
    expect(plan(deliveries, { video_id: 8 }).concerned).toEqual([2])
    const targets = [target(1), target(2)]
    expect(plan(deliveries, { video_id: 8, targets }).concerned).toEqual([2])
  })
})

describe('a change of the accounts', () => {
  it('takes new ones, keeps named ones and removes the others', () => {
    const targets = [target(1, { text: 'Own' }), target(3)]
    expect(plan([delivery(1), delivery(2)], { targets })).toEqual({
      asked: ['1 Own stays', '3 Shared joins'],
      removed: [2],
      concerned: [],
    })
    expect(plan([delivery(1)], { targets: [target(1), target(3)], text: 'New' }).asked).toEqual([
      '1 New stays',
      '3 New joins',
    ])
  })

  it.each([
    ['is left out', [target(1)], [2]],
    ['gets another text', [target(1), target(2, { text: 'Other' })], [2]],
    ['gets other options', [target(1), target(2, { options: { share_to_feed: false } })], [2]],
    ['stays as it is', [target(1), target(2, { text: 'Shared', options: { share_to_feed: true } })], []],
    ['has a default in words', [target(1), target(2, { options: { collaborators: [] } })], []],
    ['is only named', [target(1), target(2)], []],
  ])('concerns an account that has started where it %s', (_, targets, concerned) => {
    const deliveries = [delivery(1), delivery(2, { stage: 'started' })]
    expect(plan(deliveries, { targets }).concerned).toEqual(concerned)
  })

  it('leaves what was cancelled on record, named or not', () => {
    const deliveries = [delivery(1), delivery(2, { stage: 'over' })]
    expect(plan(deliveries, { targets: [target(1)] })).toMatchObject({ removed: [], concerned: [] })
    expect(plan(deliveries, { targets: [target(1), target(2)] })).toMatchObject({ asked: ['1 Shared stays'] })
  })

  it('minds no text of a draft for an inbox, which takes none', () => {
    const deliveries = [delivery(1), delivery(2, { ...toInbox, stage: 'started' })]
    expect(plan(deliveries, { targets: [target(1), target(2, { text: 'Shared' })] }).concerned).toEqual([])
  })
})

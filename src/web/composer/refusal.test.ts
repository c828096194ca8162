import { expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { DraftContent } from '#contract/drafts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { composeReducer, startState, type ComposeAction } from './compose-state.ts'
import { account } from '#web/testing/data.ts'
import { readRefusal, refusedAt, remainingRefusals } from './refusal.ts'

const sent = DraftContent.parse({
  video_id: 1,
  text: 'Tart',
  platform_options: {},
  targets: [
    { account_id: 5, text: null, options: null },
    { account_id: 6, text: 'Own', options: null },
  ],
  publish_at: { local: '2026-11-24T18:00', timezone: 'Europe/Lisbon' },
})
const [first, second] = [5, 6].map((account_id) =>
  Account.parse(account({ account_id, platform: 'instagram' })),
)
const refusal = (errors: Record<string, string[]>) => {
  const error = new ApiProblem({ kind: 'refused', message: 'No.', code: 'invalid', errors })
  return readRefusal(
    error,
    sent,
    sent.targets.map(({ account_id }) => account_id),
  )
}
const after = (...actions: ComposeAction[]) => actions.reduce(composeReducer, startState(sent)).content
const at = (one: Account | undefined) => one ?? expect.unreachable()

test('messages are found at the caption, the video, the time and the fields of each account', () => {
  const read = refusal({
    text: ['Too long.'],
    video_id: ['Too short.'],
    'publish_at.local': ['This time has passed.'],
    'targets.0.account_id': ['Link it again.'],
    'targets.1.text': ['Too many hashtags.'],
    'targets.1.options.user_tags.2': ['Not public.', 'Not there.'],
  })
  expect(remainingRefusals(read, sent)).toEqual({
    caption: 'Too long.',
    video: 'Too short.',
    time: 'This time has passed.',
  })
  expect(refusedAt(read, sent, at(first))).toEqual({ account: 'Link it again.' })
  expect(refusedAt(read, sent, at(second))).toEqual({
    text: 'Too many hashtags.',
    user_tags: 'Not public. Not there.',
  })
})

test('a message holds until what it is about is changed', () => {
  const read = refusal({
    text: ['Too long.'],
    'publish_at.local': ['This time has passed.'],
    'targets.1.text': ['Too many hashtags.'],
    'targets.1.options.first_comment': ['Not allowed.'],
  })
  const shared = after({ type: 'set text', text: 'Tarts' })
  expect(remainingRefusals(read, shared)).toMatchObject({ caption: null, time: 'This time has passed.' })
  expect(Object.keys(refusedAt(read, shared, at(second)))).toEqual(['text', 'first_comment'])
  const own = after({ type: 'set account text', accountId: at(second).account_id, text: 'Other' })
  expect(Object.keys(refusedAt(read, own, at(second)))).toEqual(['first_comment'])
  const options = after({ type: 'set platform options', platform: 'instagram', options: { ai: true } })
  expect(Object.keys(refusedAt(read, options, at(second)))).toEqual(['text'])
  expect(remainingRefusals(read, after({ type: 'plan', plan: { publish_at: null } })).time).toBeNull()
})

test('an error that names no field is no refusal of a place', () => {
  expect(refusal({})).toBeNull()
  expect(remainingRefusals(null, sent)).toEqual({ caption: null, video: null, time: null })
})

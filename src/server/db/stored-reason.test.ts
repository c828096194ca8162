import { expect, it } from 'vitest'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import {
  ACCESS_REASONS,
  connectionTooSlow,
  pausedReason,
  type Reason,
  REASONS,
  WAITS,
  withRemedy,
} from '#domain/delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from '#domain/follow-up/reasons.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import { StoredAnswer, StoredReason, withoutWords } from './stored-reason.ts'

const failures = PLATFORM_IDS.flatMap((id) => PLATFORM_FACTS[id].failures)
const refused = { ...REASONS.tooLong, code: '190/463', detail: 'Their words' }
const pause = { of: 'account', since: '2026-11-20T12:00:00.000Z', until: '2026-11-21T12:00:00.000Z' } as const
const WITH_PARAMETERS: readonly Reason[] = [
  pausedReason('brand'),
  connectionTooSlow(900_000_000, 100_000, 3600),
  WAITS.rateLimit('TikTok accepts 6 posts a minute for one account.'),
  WAITS.quota('Instagram', 100),
  WAITS.quota('Instagram', null),
  WAITS.upload(1),
  WAITS.uplink(3, 4000),
  WAITS.uplink(3, 90_000),
  WAITS.uplink(3, null),
  WAITS.paused(pause, refused),
  WAITS.paused(pause, { code: 'c', message: 'As an old version worded it.', remedy: 'r', detail: null }),
]

const store = (reason: Reason): string => JSON.stringify(withoutWords({ reason })['reason'])
const readBack = (reason: Reason): Reason => StoredReason.parse(JSON.parse(store(reason)))

const shown = ({ code, message, remedy, detail, needs_change, pause: paused }: Reason) => ({
  code,
  message,
  remedy,
  detail,
  needs_change,
  pause: paused,
}) // what the contract names

it('what is stored of a reason has none of its words, and is read back with them', () => {
  const published = failures.filter(({ when }) => when === 'publishing').map(({ failure }) => failure.reason)
  const tables = [REASONS, ACCESS_REASONS, FOLLOW_UP_REASONS].flatMap((one): Reason[] => Object.values(one))
  for (const reason of [...tables, ...published, ...WITH_PARAMETERS, WAITS.spaced, WAITS.uploadOfAccount])
    for (const one of [reason, withRemedy(reason, 'repeated'), withRemedy(reason, 'asked')]) {
      expect(store(one)).not.toContain(one.remedy)
      expect(Object.keys(JSON.parse(store(one)) as object)).not.toContain('message')
      expect(shown(readBack(one))).toEqual(shown(one))
      expect(JSON.parse(store(readBack(one)))).toEqual(JSON.parse(store(one)))
    }
})

it('a reason that an earlier version stored with its words is shown with them', () => {
  const old = { code: 'x', message: 'It was refused.', remedy: 'Try again.', detail: null }
  expect(StoredReason.parse(old)).toEqual(old)
  expect(readBack(withRemedy(old, 'asked'))).toMatchObject({ message: 'It was refused.' })
  const answer = { at: 1, message: 'It could not say.' }
  expect(StoredAnswer.parse(answer)).toEqual(answer)
})

it('a text that this version does not have leaves the code and what the platform said', () => {
  const stored = { code: '42', text: { name: 'of a later version' }, detail: 'Their words' }
  expect(StoredReason.parse(stored)).toMatchObject({ code: '42', detail: 'Their words' })
})

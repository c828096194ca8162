import { expect, test } from 'vitest'
import { checkOutcome, type ReportedDelivery } from './checker.ts'

const delivery = (id: number, state: string): ReportedDelivery => ({
  id,
  platform: 'tiktok',
  creator: 'nova',
  text: `Text ${id}`,
  state,
  isDraft: true,
  givenUp: false,
  replaces: null,
  comment: null,
})
const draft = (sha256 = 'a') => ({ platform: 'tiktok' as const, account: 'nova', sha256, posted: false })
const broken = (reported: ReportedDelivery[], drafts: ReturnType<typeof draft>[]) =>
  checkOutcome({ reported, drafts, live: [], calls: [], sha256: 'a', strays: [] })

test.each([
  ['each draft once', [delivery(1, 'in_inbox'), delivery(2, 'in_inbox')], [draft(), draft()], null],
  ['a second notification', [delivery(1, 'in_inbox')], [draft(), draft()], 'one is doubled'],
  ['one that never arrived', [delivery(1, 'in_inbox')], [], 'nova has 0 drafts, and is told "in_inbox"'],
  [
    'one that is called failed',
    [delivery(1, 'failed')],
    [draft()],
    'nova has 1 drafts, and is told "failed"',
  ],
  ['another video', [delivery(1, 'in_inbox')], [draft('b')], 'other bytes'],
])('the checker tells %s', (_what, reported, drafts, law) => {
  const laws = broken(reported, drafts).join('\n')
  if (law === null) expect(laws).toBe('')
  else expect(laws).toContain(law)
})

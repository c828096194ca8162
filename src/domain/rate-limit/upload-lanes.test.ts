import { describe, expect, it } from 'vitest'
import {
  admitUploads,
  fitsUplink,
  outlastsAddress,
  maxLanesPerUser,
  UPLOAD_LIMITS,
  type Candidate,
  type Uplink,
} from './upload-lanes.ts'

const MB = 1_000_000
/** 10 Mbit/s, and TikTok's hour. */
const UPLINK: Uplink = { bytesPerS: 1.25 * MB, isMeasured: true, lifeS: 3600, openBytes: 0 }
const FAST: Uplink = { ...UPLINK, bytesPerS: 1000 * MB }

const running = (mb: number, elapsedS = 0) => ({ userId: 99, bytesLeft: mb * MB, elapsedS })
const candidate = (deliveryId: number, change: Partial<Candidate> = {}): Candidate => ({
  deliveryId,
  userId: 1,
  accountId: deliveryId,
  bytes: 10 * MB,
  resumes: false,
  waitedS: 0,
  ...change,
})
const idle = { lanes: 16, running: [], everywhere: [], uplink: FAST }
const startedOf = (due: readonly Candidate[], pool: Parameters<typeof admitUploads>[1]) =>
  admitUploads(due, pool).starting.map(({ deliveryId }) => deliveryId)
const many = (count: number, change: Partial<Candidate> = {}) =>
  Array.from({ length: count }, (_, i) => candidate(i + 1, change))

describe('the share of a user', () => {
  it.each([
    [16, 0, 8],
    [16, 8, 4],
    [16, 15, 1],
    [16, 16, 0],
    [1, 0, 1],
    [0, 0, 0],
  ])('of %i lanes of which others hold %i is %i', (lanes, others, share) => {
    expect(maxLanesPerUser(lanes, others)).toBe(share)
  })
})

describe('whether one more upload fits the uplink', () => {
  it.each<[string, Parameters<typeof fitsUplink>, boolean]>([
    ['the first one always does', [[], { bytes: 5000 * MB }, UPLINK], true],
    ['a second of 500 MB at 10 Mbit/s', [[running(500)], { bytes: 500 * MB }, UPLINK], true],
    ['a fourth', [[running(500), running(500), running(500)], { bytes: 500 * MB }, UPLINK], true],
    [
      'a fifth does not',
      [[running(500), running(500), running(500), running(500)], { bytes: 500 * MB }, UPLINK],
      false,
    ],
    [
      'a large one beside one that is late does not',
      [[running(100, 2900)], { bytes: 100 * MB }, UPLINK],
      false,
    ],
    [
      'a second large one beside one that needs the hour does not',
      [[running(4000)], { bytes: 100 * MB }, UPLINK],
      false,
    ],
    ['a small one beside one that needs nearly the hour', [[running(4000)], { bytes: 5 * MB }, UPLINK], true],
    [
      'a small one that would make another late does not',
      [[running(4250)], { bytes: 50 * MB }, UPLINK],
      false,
    ],
    ['a small one beside one that is too late anyway', [[running(5000)], { bytes: 5 * MB }, UPLINK], true],
    ['a large one beside small ones', [[running(70), running(70)], { bytes: 5000 * MB }, UPLINK], true],
    [
      'bytes of an address that is open count',
      [[], { bytes: 500 * MB }, { ...UPLINK, openBytes: 2000 * MB }],
      false,
    ],
  ])('%s', (_, [beside, next, uplink], fits) => {
    expect(fitsUplink(beside, next, uplink)).toBe(fits)
  })

  it('an upload outlasts its address when the uplink alone is too slow for it', () => {
    expect(outlastsAddress(4500 * MB, UPLINK)).toBe(false)
    expect(outlastsAddress(4501 * MB, UPLINK)).toBe(true)
  })
})

describe('admission', () => {
  it('starts ten uploads of 500 MB at 10 Mbit/s four at a time and says when the next begins', () => {
    const { starting, waiting } = admitUploads(many(10, { bytes: 500 * MB }), { ...idle, uplink: UPLINK })
    expect(starting.map(({ deliveryId }) => deliveryId)).toEqual([1, 2, 3, 4])
    expect(waiting).toHaveLength(6)
    expect(waiting[0]).toEqual({ deliveryId: 5, why: 'uplink', inS: 1600 })
    expect(waiting[5]).toEqual({ deliveryId: 10, why: 'uplink', inS: 3600 })
  })

  it('says nothing of the time while the uplink is not measured', () => {
    const uplink = { ...UPLINK, isMeasured: false }
    expect(admitUploads(many(5, { bytes: 500 * MB }), { ...idle, uplink }).waiting).toEqual([
      { deliveryId: 5, why: 'uplink', inS: null },
    ])
  })

  it('lets small uploads pass a large one that waits for the uplink', () => {
    const due = [candidate(1, { bytes: 2000 * MB }), candidate(2, { bytes: 1 * MB })]
    expect(startedOf(due, { ...idle, running: [running(500)], uplink: UPLINK })).toEqual([2])
  })

  it('lets no large upload pass one that has waited for the uplink too long', () => {
    const others = [candidate(2, { bytes: 150 * MB, userId: 2 }), candidate(3, { bytes: 1 * MB, userId: 3 })]
    const recent = [candidate(1, { bytes: 2000 * MB, waitedS: 899 }), ...others]
    const overdue = [candidate(1, { bytes: 2000 * MB, waitedS: 900 }), ...others]
    const busy = { ...idle, running: [running(500)], uplink: UPLINK }
    expect(startedOf(recent, busy)).toEqual([2, 3])
    expect(startedOf(overdue, busy)).toEqual([3])
    expect(startedOf(overdue, { ...busy, running: [running(50)] })).toEqual([1, 2, 3])
  })

  it('goes on with an address that is open however slow the uplink', () => {
    const due = [candidate(1, { bytes: 2000 * MB, resumes: true })]
    expect(startedOf(due, { ...idle, running: [running(2000)], uplink: UPLINK })).toEqual([1])
  })

  it('gives one user half of the lanes, and the next user half of the rest', () => {
    const due = [
      ...many(20),
      ...many(20).map((one) => ({
        ...one,
        deliveryId: one.deliveryId + 100,
        accountId: one.accountId + 100,
        userId: 2,
      })),
    ]
    const { starting } = admitUploads(due, idle)
    expect(starting.filter(({ userId }) => userId === 1)).toHaveLength(8)
    expect(starting.filter(({ userId }) => userId === 2)).toHaveLength(4)
  })

  it('sends one video at a time to an account, also where another worker sends it', () => {
    const due = [
      candidate(1, { accountId: 7 }),
      candidate(2, { accountId: 7 }),
      candidate(3, { accountId: 8 }),
    ]
    expect(startedOf(due, idle)).toEqual([1, 3])
    expect(startedOf(due, { ...idle, everywhere: [{ userId: 1, accountId: 7 }] })).toEqual([3])
    expect(admitUploads(due, idle).waiting).toEqual([{ deliveryId: 2, why: 'account', inS: null }])
  })

  it('counts the uploads of a user and of a platform across all workers', () => {
    const ofUser = Array.from({ length: UPLOAD_LIMITS.perUser }, (_, i) => ({
      userId: 1,
      accountId: 100 + i,
    }))
    expect(startedOf(many(1), { ...idle, everywhere: ofUser })).toEqual([])
    expect(startedOf(many(1, { userId: 2 }), { ...idle, everywhere: ofUser })).toEqual([1])
    const all = Array.from({ length: UPLOAD_LIMITS.perPlatform }, (_, i) => ({
      userId: 50 + i,
      accountId: 100 + i,
    }))
    expect(startedOf(many(1), { ...idle, everywhere: all })).toEqual([])
  })
})

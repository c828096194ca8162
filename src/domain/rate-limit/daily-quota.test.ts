import { describe, expect, it } from 'vitest'
import { checkQuota, nextQuotaQueryAt } from './daily-quota.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

describe('the daily quota', () => {
  const report = { used: 40, total: 50, at: NOW }
  const soon = NOW + 10_000
  const rows = [
    ['the platform was never asked', null, null, { inFlight: 0, publishedSince: 0 }, 'query'],
    ['another worker is asking', null, soon, { inFlight: 0, publishedSince: 0 }, 'full'],
    ['posts are left', report, soon, { inFlight: 9, publishedSince: 0 }, 'free'],
    ['posts in flight use the rest', report, soon, { inFlight: 10, publishedSince: 0 }, 'full'],
    ['posts published since count too', report, soon, { inFlight: 5, publishedSince: 5 }, 'full'],
    ['the report is old', report, NOW, { inFlight: 0, publishedSince: 0 }, 'query'],
    [
      'the platform did not say',
      { ...report, total: null },
      soon,
      { inFlight: 99, publishedSince: 9 },
      'free',
    ],
  ] as const
  for (const [when, known, queryAt, own, kind] of rows) {
    it(`is ${kind} when ${when}`, () => {
      expect(checkQuota(known, queryAt, own, NOW).kind).toBe(kind)
    })
  }

  it('is queried again within minutes while posts are left, and hourly while none are', () => {
    expect(nextQuotaQueryAt(report)).toBe(NOW + 300_000)
    expect(nextQuotaQueryAt({ ...report, used: 50 })).toBe(NOW + 3_600_000)
    expect(nextQuotaQueryAt({ ...report, total: null })).toBe(NOW + 300_000)
  })

  it('is queried after a minute while our own posts fill it', () => {
    const decision = checkQuota(report, NOW + 300_000, { inFlight: 10, publishedSince: 0 }, NOW + 1000)
    expect(decision).toMatchObject({ kind: 'full', until: NOW + 60_000, total: 50 })
  })
})

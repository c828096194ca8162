import { describe, expect, it } from 'vitest'
import { LINK_ASKED_S, PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import type { Failure } from '../delivery/failure.ts'
import { stepFollowUp } from './follow-up.ts'
import { initialLink, type LinkEvent, type LinkState } from './link.ts'
import { describeFollowUp, viewFollowUp } from './view.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const reason = { code: 'c', message: 'Not reached.', remedy: 'Wait.', detail: null }
const account: Failure = { kind: 'account', reason, expired: false }

const states = {
  waiting: initialLink(NOW),
  done: { kind: 'done', at: NOW, postId: '1', url: 'https://x/1' },
  none: { kind: 'done', at: NOW, postId: null, url: null },
  failed: { kind: 'failed', at: NOW, postId: '1', reason },
} as const satisfies Record<string, LinkState>

const events = {
  postponed: { type: 'postponed', until: NOW + 1000, reason },
  found: { type: 'link_found', postId: '1', url: 'https://x/1' },
  unknown: { type: 'link_unknown', postId: null },
  no_link: { type: 'no_link' },
  unreadable: { type: 'unreadable', failure: { kind: 'unreachable', reason } },
  unlinked: { type: 'unreadable', failure: account },
  erased: { type: 'unreadable', failure: { ...account, gone: true } },
  retry: { type: 'retry' },
} as const satisfies Record<string, LinkEvent>

const TABLE: Record<keyof typeof states, Partial<Record<keyof typeof events, LinkState['kind']>>> = {
  waiting: {
    postponed: 'waiting',
    found: 'done',
    unknown: 'waiting',
    no_link: 'done',
    unreadable: 'waiting',
    unlinked: 'waiting',
    erased: 'failed',
  },
  done: {},
  none: {},
  failed: { retry: 'waiting' },
}

const keys = <T extends object>(o: T) => Object.keys(o) as (keyof T)[] // keys of const objects above
const link = (state: LinkState) => ({ kind: 'public_link', state }) as const

function next(state: LinkState, event: LinkEvent, now = NOW, platform: PlatformId = 'tiktok') {
  const result = stepFollowUp(link(state), event, now, platform)
  if ('refused' in result || result.to.kind !== 'public_link') return null
  return { to: result.to.state, wakeAt: result.wakeAt }
}

describe('the transition table of links', () => {
  for (const from of keys(states)) {
    for (const name of keys(events)) {
      const to = TABLE[from][name]
      it(`${from} + ${name} -> ${to ?? 'refused'}`, () => {
        expect(next(states[from], events[name])?.to.kind).toBe(to)
      })
    }
  }
})

it('a first comment takes no event of a link, and a link none of a comment', () => {
  expect(stepFollowUp(link(states.waiting), { type: 'ready' }, NOW, 'tiktok')).toHaveProperty('refused')
  expect(stepFollowUp(link(states.failed), { type: 'dismiss' }, NOW, 'tiktok')).toHaveProperty('refused')
})

function listWaits(platform: PlatformId) {
  const waits: number[] = []
  let [state, now]: [LinkState, number] = [states.waiting, NOW + (LINK_ASKED_S[platform][0] ?? 0) * 1000]
  for (;;) {
    const moved = next(state, events.unknown, now, platform)
    state = moved?.to ?? state
    const wakeAt = moved?.wakeAt ?? null
    if (wakeAt === null) return { waits, days: (now - NOW) / 86_400_000, state }
    waits.push((wakeAt - now) / 1000)
    now = wakeAt
  }
}

const USUAL = PLATFORM_IDS.filter((platform) => !LINK_ASKED_S[platform].includes(Infinity))

it.each(USUAL)('a link of %s is asked for 30 days, every 15 minutes and then hourly', (platform) => {
  const { waits, days, state } = listWaits(platform)
  const first = LINK_ASKED_S[platform].slice(1)
  expect(waits.slice(0, first.length)).toEqual(first)
  const usual = waits.slice(first.length)
  expect([...new Set(usual)]).toEqual([900, 3600])
  expect(usual.filter((wait) => wait === 900).length).toBeGreaterThan(90)
  expect(Math.round(days)).toBe(30)
  expect(state).toMatchObject({ kind: 'failed', reason: { code: 'link_not_told' } })
})

it('a link whose questions are counted is asked for no more after them', () => {
  const { waits, days, state } = listWaits('youtube')
  expect(waits).toEqual(LINK_ASKED_S.youtube.slice(1, -1))
  expect(Math.round(days)).toBe(29)
  expect(state).toMatchObject({ kind: 'failed', reason: { code: 'link_not_told' } })
})

it('a throttled question waits as long as the platform asks', () => {
  const throttled: Failure = { kind: 'throttled', reason, retryAfterS: 7200, limit: false }
  expect(next(states.waiting, { type: 'unreadable', failure: throttled })?.wakeAt).toBe(NOW + 7_200_000)
  expect(next(states.waiting, events.unlinked)?.wakeAt).toBe(NOW + 900_000)
})

it('an id that is told before its link is kept, also through a retry', () => {
  const known = next(states.waiting, { type: 'link_unknown', postId: '7' })?.to ?? states.waiting
  expect(next(known, events.unknown)?.to).toMatchObject({ kind: 'waiting', postId: '7' })
  expect(next(states.failed, events.retry)).toMatchObject({ to: { postId: '1', asks: 0 }, wakeAt: NOW })
})

it('a link that is not known is told in the timeline, and needs nobody', () => {
  expect(describeFollowUp(link(states.waiting))).toBeNull()
  const asked = next(states.waiting, events.unknown)?.to ?? states.waiting
  expect(describeFollowUp(link(asked))).toBe('The platform has not shared the link to the post yet.')
  expect(describeFollowUp(link(states.done))).toBe('Link to the post found.')
  for (const state of Object.values(states)) expect(viewFollowUp(link(state)).needs_attention).toBe(false)
  expect(viewFollowUp(link(states.failed)).actions).toEqual(['retry'])
})

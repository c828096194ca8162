import { LINK_ASKED_S, type PlatformId } from '#contract/platforms/index.ts'
import { AS_ASKED_TRANSITIONS, type AsAskedEvent, type AsAskedState } from './as-asked.ts'
import type { CommentEvent, CommentState } from './comment-state.ts'
import { COMMENT_TRANSITIONS } from './comment-step.ts'
import { LINK_TRANSITIONS, type LinkEvent, type LinkState } from './link.ts'
import {
  COMMENTS_OFF_TRANSITIONS,
  COVER_TRANSITIONS,
  type SettingEvent,
  type SettingState,
} from './setting.ts'
import type { Moved } from './transitions.ts'

/** Actions after the publication of a post. Each kind has its own states, and none changes the delivery. */
export type FollowUpRecord =
  | { readonly kind: 'first_comment'; readonly state: CommentState }
  | { readonly kind: 'public_link'; readonly state: LinkState }
  | { readonly kind: 'comments_off'; readonly state: SettingState }
  | { readonly kind: 'cover'; readonly state: SettingState }
  | { readonly kind: 'as_asked'; readonly state: AsAskedState }

export type FollowUpEvent = CommentEvent | LinkEvent | SettingEvent | AsAskedEvent

export type FollowUpStep = Moved<FollowUpRecord> | { readonly refused: string }

const TRANSITIONS = {
  first_comment: COMMENT_TRANSITIONS,
  public_link: LINK_TRANSITIONS,
  comments_off: COMMENTS_OFF_TRANSITIONS,
  cover: COVER_TRANSITIONS,
  as_asked: AS_ASKED_TRANSITIONS,
} as const

/** The only code that moves a follow-up. Pure: equal arguments give equal results. */
export function stepFollowUp(
  { kind, state }: FollowUpRecord,
  event: FollowUpEvent,
  now: number,
  platform: PlatformId,
): FollowUpStep {
  // The row of a state has only transitions of that kind and state.
  const rows = TRANSITIONS[kind] as Readonly<Record<string, Readonly<Record<string, AnyTransition>>>>
  const moved = rows[state.kind]?.[event.type]?.(state, event, now, LINK_ASKED_S[platform])
  if (!moved) return { refused: `"${event.type}" cannot happen to a ${kind} that is "${state.kind}"` }
  return { to: { kind, state: moved.to } as FollowUpRecord, wakeAt: moved.wakeAt }
}

type AnyTransition = (
  state: FollowUpRecord['state'],
  event: FollowUpEvent,
  now: number,
  askedS: readonly number[],
) => Moved<FollowUpRecord['state']> | null

/** The time (epoch ms) since which it needs the user's attention; null: it does not. An unknown link is no failure. */
export function needsAttentionSince({ kind, state }: FollowUpRecord): number | null {
  if (kind === 'public_link') return null
  switch (state.kind) {
    case 'failed':
      return state.dismissed ? null : state.at
    case 'unconfirmed':
      return state.dismissed ? null : state.calledAt
    case 'waiting':
    case 'commenting':
    case 'done':
      return null
  }
}

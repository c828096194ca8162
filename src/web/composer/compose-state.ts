import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId, VideoId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { spreadOf, withAfter, withSpread } from './spread.ts'
import { coverOf, OPTION_PANELS, withCover, type StoredOptions } from '#web/platforms/option-panels.tsx'

export type Target = DraftContent['targets'][number]

/** The document, and what was typed for accounts that are not selected now: selecting them again brings it back. */
export type ComposeState = {
  readonly content: DraftContent
  readonly aside: Readonly<Record<AccountId, Target>>
}

export type ComposeAction =
  /** Undoes what was done since. */
  | { readonly type: 'restore'; readonly state: ComposeState }
  | { readonly type: 'set video'; readonly videoId: VideoId | null }
  | { readonly type: 'set cover'; readonly coverMs: number }
  /** The own cover of a platform's accounts; null: a frame. */
  | {
      readonly type: 'set picture'
      readonly platform: PlatformId
      readonly pictureId: number | null
      readonly accountIds: readonly AccountId[]
    }
  | { readonly type: 'set text'; readonly text: string }
  /** The caption of a platform's accounts; null: the shared one again. */
  | { readonly type: 'set platform text'; readonly platform: PlatformId; readonly text: string | null }
  | { readonly type: 'select' | 'clear'; readonly accountIds: readonly AccountId[] }
  /** `text` null: the one of its platform, or the shared one, again. */
  | { readonly type: 'set account text'; readonly accountId: AccountId; readonly text: string | null }
  /** Captions of their own for several accounts. */
  | { readonly type: 'set account texts'; readonly texts: ReadonlyMap<AccountId, string> }
  /** `from`: the caption that it has now. */
  | {
      readonly type: 'customise text'
      readonly accountId: AccountId
      readonly custom: boolean
      readonly from: string
    }
  | { readonly type: 'set platform options'; readonly platform: PlatformId; readonly options: StoredOptions }
  /** `options` null: those of the platform again. */
  | {
      readonly type: 'set account options'
      readonly accountId: AccountId
      readonly options: StoredOptions | null
    }
  /** All accounts get it one after the other, in this order, within so many minutes. */
  | { readonly type: 'spread'; readonly minutes: number; readonly order: readonly AccountId[] }
  | { readonly type: 'set account time'; readonly accountId: AccountId; readonly minutes: number }
  | { readonly type: 'plan'; readonly plan: Pick<DraftContent, 'publish_at' | 'schedule'> }

export const EMPTY_CONTENT: DraftContent = {
  video_id: null,
  text: '',
  platform_options: {},
  targets: [],
  publish_at: null,
}

export const startState = (content: DraftContent, aside: ComposeState['aside'] = {}): ComposeState => ({
  content,
  aside,
})

export function composeReducer(state: ComposeState, action: ComposeAction): ComposeState {
  const { content } = state
  const change = (changed: Partial<DraftContent>): ComposeState => ({
    ...state,
    content: { ...content, ...changed },
  })
  switch (action.type) {
    case 'restore':
      return action.state
    case 'set video': {
      if (action.videoId === content.video_id) return state
      return change({ video_id: action.videoId })
    }
    case 'set cover':
      return change({ platform_options: withCover(content.platform_options, action.coverMs) })
    case 'set picture': {
      const { platform, pictureId, accountIds } = action
      const { withPicture, pictureId: pictureOf } = OPTION_PANELS[platform]
      if (!withPicture) return state
      const { [platform]: shared = null } = content.platform_options
      // Also where an account has options of its own, unless it has a picture of its own among them.
      const targets = content.targets.map((target) =>
        target.options !== null &&
        accountIds.includes(target.account_id) &&
        pictureOf(target.options) === pictureOf(shared)
          ? { ...target, options: { ...withPicture(target.options, pictureId) } }
          : target,
      )
      const options = { ...content.platform_options, [platform]: withPicture(shared, pictureId) }
      return change({ platform_options: options, targets })
    }
    case 'set text':
      return change({ text: action.text })
    case 'set platform text': {
      const { [action.platform]: _before, ...others } = content.platform_texts ?? {}
      if (action.text !== null)
        return change({ platform_texts: { ...others, [action.platform]: action.text } })
      const { platform_texts: _none, ...rest } = content
      return {
        ...state,
        content: Object.keys(others).length > 0 ? { ...rest, platform_texts: others } : rest,
      }
    }
    case 'select':
      return select(state, action.accountIds)
    case 'clear':
      return clear(state, action.accountIds)
    case 'set account text': {
      const { accountId, text } = action
      return onTarget(forget(state, accountId), accountId, { text })
    }
    case 'set account texts': {
      const targets = content.targets.map((target) => ({
        ...target,
        text: action.texts.get(target.account_id) ?? target.text,
      }))
      return change({ targets })
    }
    case 'customise text': {
      const { accountId, custom, from } = action
      if (custom) return onTarget(state, accountId, { text: state.aside[accountId]?.text ?? from })
      return onTarget(setAside(state, [accountId]), accountId, { text: null })
    }
    case 'set platform options':
      return change({
        platform_options: { ...content.platform_options, [action.platform]: { ...action.options } },
      })
    case 'set account options': {
      const options = action.options && { ...action.options }
      return onTarget(state, action.accountId, { options })
    }
    case 'spread': {
      const ordered = content.targets.toSorted(
        (one, other) => action.order.indexOf(one.account_id) - action.order.indexOf(other.account_id),
      )
      return change({ targets: withSpread(ordered, action.minutes) })
    }
    case 'set account time':
      return change({
        targets: content.targets.map((target) =>
          target.account_id === action.accountId ? withAfter(target, action.minutes) : target,
        ),
      })
    case 'plan': {
      const { schedule: _before, ...rest } = content
      return { ...state, content: { ...rest, ...action.plan } }
    }
  }
}

/** New ones go to the end; each is in the post once. */
function select(state: ComposeState, accountIds: readonly AccountId[]): ComposeState {
  const { content, aside } = state
  const added = accountIds.filter((id) => !isSelected(content, id))
  const targets = added.map((id) => aside[id] ?? { account_id: id, text: null, options: null })
  return { ...state, content: { ...content, targets: spreadAs(content, [...content.targets, ...targets]) } }
}

/** Accounts that get the post one after the other, or at the same time, still do when there are more or fewer. */
function spreadAs({ targets }: DraftContent, next: DraftContent['targets']): DraftContent['targets'] {
  const minutes = spreadOf(targets)
  return minutes === null ? next : withSpread(next, minutes)
}

function clear(state: ComposeState, accountIds: readonly AccountId[]): ComposeState {
  const { content } = state
  const targets = content.targets.filter(({ account_id }) => !accountIds.includes(account_id))
  return { ...setAside(state, accountIds), content: { ...content, targets: spreadAs(content, targets) } }
}

/** Remembers what these accounts have, so that it can be brought back. */
function setAside(state: ComposeState, accountIds: readonly AccountId[]): ComposeState {
  const kept = state.content.targets.filter(({ account_id }) => accountIds.includes(account_id))
  const entries = kept.map((target) => [target.account_id, target] as const)
  return { ...state, aside: { ...state.aside, ...Object.fromEntries(entries) } }
}

const forget = (state: ComposeState, accountId: AccountId): ComposeState => {
  const { [accountId]: _forgotten, ...aside } = state.aside
  return { ...state, aside }
}

function onTarget(state: ComposeState, accountId: AccountId, changed: Partial<Target>): ComposeState {
  const targets = state.content.targets.map((target) =>
    target.account_id === accountId ? { ...target, ...changed } : target,
  )
  return { ...state, content: { ...state.content, targets } }
}

export const isSelected = ({ targets }: DraftContent, accountId: AccountId): boolean =>
  targets.some(({ account_id }) => account_id === accountId)

export const targetOf = ({ targets }: DraftContent, accountId: AccountId): Target | null =>
  targets.find(({ account_id }) => account_id === accountId) ?? null

/** The caption that goes out to an account. */
export const textOf = (
  { text, platform_texts: texts }: Pick<DraftContent, 'text' | 'platform_texts'>,
  target: Target | null,
  platform: PlatformId,
): string => target?.text ?? texts?.[platform] ?? text

/** The options that apply to an account; null: the platform's default. The cover is always the shared one. */
export function optionsOf(
  { platform_options: shared }: Pick<DraftContent, 'platform_options'>,
  target: Target | null,
  platform: PlatformId,
): StoredOptions | null {
  const common = shared[platform] ?? null
  const own = target?.options ?? null
  if (own === null) return common
  return withCover({ [platform]: own }, coverOf(shared))[platform]
}

/** Whether there is anything in it that would be missed. */
export const isWorthSaving = ({
  video_id,
  text,
  platform_texts: texts = {},
  targets,
}: DraftContent): boolean =>
  video_id !== null ||
  [text, ...Object.values(texts), ...targets.map((target) => target.text ?? '')].some(
    (one) => one.trim() !== '',
  )

import type { Account } from '#contract/accounts.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { checkText, keepHashtags } from '#domain/video-check/post-check.ts'
import { type PlatformId } from '#contract/platforms/index.ts'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import type { AccountId } from '#contract/ids.ts'
import type { ComposeAction } from './compose-state.ts'
import { OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { errorsIn, type Judged, type LiveAccount, type Outgoing } from './readiness.ts'

/** A fix of a check by one press. Changes of the document can be undone. */
export type Fix =
  | { readonly does: 'change'; readonly label: string; readonly action: ComposeAction }
  | { readonly does: 'set time'; readonly label: string; readonly time: { local: string; timezone: string } }
  /** A copy of the video takes its place. */
  | { readonly does: 'fix video'; readonly label: string; readonly plan: FixPlan }
  | { readonly does: 'try again'; readonly retry: () => void }
  | { readonly does: 'link again'; readonly account: Account }

const change = (label: string, action: ComposeAction): Fix => ({ does: 'change', label, action })

export const leaveOut = (...accountIds: readonly AccountId[]): Fix =>
  change('Leave out', { type: 'clear', accountIds })

/** The fix that one press can make for an account; null: only the user can decide. */
export function findFix({ live, readiness, outgoing }: Judged, sharedText: string): Fix | null {
  const { account } = live
  switch (readiness.kind) {
    case 'relink':
      return { does: 'link again', account }
    case 'off':
    case 'paused':
    case 'held':
      return leaveOut(account.account_id)
    case 'missing':
      if (live.failure !== null && (readiness.where === 'row' || readiness.where === 'platform'))
        return { does: 'try again', retry: live.retry }
      return fieldFix(live, outgoing, sharedText)
    case 'refused':
      return fieldFix(live, outgoing, sharedText)
    case 'started':
    case 'unselected':
    case 'no_video':
    case 'loading':
    case 'ready':
      return null
  }
}

function fieldFix(live: LiveAccount, outgoing: Outgoing, sharedText: string): Fix | null {
  const { account_id: accountId, platform } = live.account
  const errors = errorsIn(live, outgoing)
  if (errors['text'] != null) {
    const doesSharedFit = outgoing.textOf === 'account' && checkText(sharedText, platform).length === 0
    if (doesSharedFit)
      return change('Use the shared caption', { type: 'set account text', accountId, text: null })
    const text = trimmed(outgoing.text, [platform])
    return text && change(text.label, { type: 'set account text', accountId, text: text.text })
  }
  const panel = OPTION_PANELS[platform]
  for (const [field, message] of Object.entries(errors)) {
    const fixed = message === null ? null : panel.leaveOut(field, outgoing.options)
    if (fixed) return change(fixed.label, { type: 'set account options', accountId, options: fixed.options })
  }
  return null
}

/** For the shared caption, on all these platforms. */
export function captionFix(sharedText: string, platforms: readonly PlatformId[]): Fix | null {
  const text = trimmed(sharedText, platforms)
  return text && change(text.label, { type: 'set text', text: text.text })
}

/** A text with fewer hashtags; null: these do not make it fit. */
function trimmed(text: string, platforms: readonly PlatformId[]) {
  const max = Math.min(...platforms.map((id) => PLATFORM_LIMITS[id].textMaxHashtags ?? Infinity))
  const shorter = Number.isFinite(max) ? keepHashtags(text, max) : text
  const fits = platforms.every((id) => checkText(shorter, id).length === 0)
  return shorter !== text && fits ? { label: `Keep the first ${max} hashtags`, text: shorter } : null
}

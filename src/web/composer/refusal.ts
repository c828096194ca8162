import type { Account } from '#contract/accounts.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId } from '#contract/ids.ts'
import type { PostDetail } from '#contract/posts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { isOpenFailure } from '#web/posts/post.ts'
import { optionsOf, targetOf, textOf } from './compose-state.ts'
import type { FieldErrors } from '#web/platforms/kit/panel.ts'

/** What was refused of a post, by the server or an earlier one by its platform, by the places that it named. */
export type Refusal = {
  /** The content that was refused: a message holds until what it is about is changed. */
  readonly sent: DraftContent
  readonly caption: string | null
  readonly video: string | null
  readonly time: string | null
  readonly accounts: ReadonlyMap<AccountId, FieldErrors>
}

/** The fields of a request that say when it goes out. */
const TIME_FIELD = /^(publish_at|schedule)\b/

/** The field of what is wrong with an account itself. */
const WHOLE_ACCOUNT = 'account'
/** The field of what a platform refused, which may be the caption, the video or an option. */
const ALL_OF_IT = 'post'

/** @param accountIds in the order in which they were sent. @returns null: no place is named */
export function readRefusal(
  error: Error,
  sent: DraftContent,
  accountIds: readonly AccountId[],
): Refusal | null {
  const fields = error instanceof ApiProblem ? Object.entries(error.errors) : []
  if (fields.length === 0) return null
  const messagesAt = (pattern: RegExp): string | null =>
    fields
      .filter(([field]) => pattern.test(field))
      .flatMap(([, messages]) => messages)
      .join(' ') || null
  return {
    sent,
    caption: messagesAt(/^text$/),
    video: messagesAt(/^video_id$/),
    time: messagesAt(TIME_FIELD),
    accounts: new Map(
      accountIds.flatMap((id, at): [AccountId, FieldErrors][] => {
        const errors = fields.flatMap(([field, messages]) => {
          const target = parseTargetField(field)
          return target?.at === at ? [[accountField(target.field), messages.join(' ')]] : []
        })
        return errors.length === 0 ? [] : [[id, Object.fromEntries(errors)]]
      }),
    ),
  }
}

/** What the platforms refused of a post that is made again. @returns null: nothing */
export function earlierRefusal(post: PostDetail, again: DraftContent): Refusal | null {
  const chosen = new Set(again.targets.map(({ account_id }) => account_id))
  const accounts = post.deliveries
    .filter((one) => chosen.has(one.account_id) && isOpenFailure(one) && one.reason?.needs_change === true)
    .map(({ account_id, reason }): [AccountId, FieldErrors] => [
      account_id,
      { [ALL_OF_IT]: reason?.message ?? null },
    ])
  if (accounts.length === 0) return null
  return { sent: again, caption: null, video: null, time: null, accounts: new Map(accounts) }
}

/** `targets.2.text`: the field of an account, by its place in the request; null: a field of the whole post. */
export function parseTargetField(field: string): { readonly at: number; readonly field: string } | null {
  const [, at, rest = ''] = /^targets\.(\d+)(?:\.(.+))?$/.exec(field) ?? []
  return at === undefined ? null : { at: Number(at), field: rest }
}

/** `options.user_tags.3` is shown at `user_tags`. */
function accountField(field: string): string {
  if (field === 'text') return field
  return /^options\.([^.]+)/.exec(field)?.[1] ?? WHOLE_ACCOUNT
}

/** The server's refusals of the caption, video and time that the user has not changed since. */
export function remainingRefusals(refusal: Refusal | null, content: DraftContent) {
  const { sent, caption, video, time } = refusal ?? { sent: content, caption: null, video: null, time: null }
  return {
    caption: content.text === sent.text ? caption : null,
    video: content.video_id === sent.video_id ? video : null,
    time: isSame([content.publish_at, content.schedule], [sent.publish_at, sent.schedule]) ? time : null,
  }
}

/** The same for one account's caption and options. */
export function refusedAt(
  refusal: Refusal | null,
  content: DraftContent,
  { account_id, platform }: Account,
): FieldErrors {
  const errors = refusal?.accounts.get(account_id)
  if (!refusal || !errors) return NOTHING
  const { sent } = refusal
  const [now, before] = [targetOf(content, account_id), targetOf(sent, account_id)]
  const isTextSame = textOf(content, now, platform) === textOf(sent, before, platform)
  const areOptionsSame =
    content.video_id === sent.video_id &&
    isSame(optionsOf(content, now, platform), optionsOf(sent, before, platform))
  const holds = (field: string): boolean => {
    if (field === WHOLE_ACCOUNT) return true
    if (field === ALL_OF_IT) return isTextSame && areOptionsSame
    return field === 'text' ? isTextSame : areOptionsSame
  }
  return Object.fromEntries(Object.entries(errors).filter(([field]) => holds(field)))
}

const NOTHING: FieldErrors = {}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

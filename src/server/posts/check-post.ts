import { accountName } from '#contract/accounts.ts'
import { PictureId } from '#contract/ids.ts'
import {
  CHECKED_COVERS,
  goesToInbox,
  INBOX_OPTIONS,
  PICTURE_OPTIONS,
  PLATFORM_NAMES,
  PLATFORM_OPTIONS,
  PlatformId,
} from '#contract/platforms/index.ts'
import type { VideoFacts } from '#contract/videos.ts'
import { checkText, checkVideo } from '#domain/video-check/post-check.ts'
import type { Platform } from '#platforms/kit/platform.ts'
import { platformOff } from '#base/problem.ts'
import { type AccountRow, hasGranted } from '../accounts/store.ts'
import { inPlainWords } from '../http/field-messages.ts'
import { fieldErrors, refusal } from '../http/parse.ts'

/** `field`s are the places in the request that a refusal names. */
export type Target = {
  readonly accountId: number
  /** This account's caption; `textField`: the field that a refusal of it names. */
  readonly text: string
  readonly textField: string
  readonly options: Readonly<Record<string, unknown>>
  readonly field: string
  readonly optionsField: string
  /** Set if the call belongs to one platform. */
  readonly platform: PlatformId | null
  /** How long after the post's time it goes out; null: as it was, or at the post's time. */
  readonly afterMinutes: number | null
  /** The post goes to the account already, so it may wait for the account to be linked again. */
  readonly isInPost?: true
}

export type CheckedTarget = {
  readonly account: AccountRow
  readonly platform: PlatformId
  readonly text: string
  readonly options: object
  /** The own picture that it is posted with. */
  readonly pictureId: number | null
  readonly afterMinutes: number | null
}

type Asked = {
  readonly videoField: string
  readonly video: { readonly facts: VideoFacts; readonly size: number }
  readonly targets: readonly { readonly target: Target; readonly account: AccountRow }[]
  /** The ids among the named pictures that are the user's. */
  readonly pictures: ReadonlySet<number>
}

type Platforms = Readonly<Record<PlatformId, Platform | null>>

/**
 * Checks all that can be known before a platform is asked.
 * @throws Problem platform_off; invalid, with every error at its field
 */
export function checkPost(platforms: Platforms, asked: Asked): CheckedTarget[] {
  const { checked, errors } = inspectPost(platforms, asked)
  if (Object.keys(errors).length > 0) throw refusal('invalid', errors)
  return checked
}

/** The targets that can be posted, and every error at its field. @throws Problem platform_off */
export function inspectPost(
  platforms: Platforms,
  asked: Asked,
): { readonly checked: CheckedTarget[]; readonly errors: Readonly<Record<string, string[]>> } {
  const errors: Record<string, string[]> = {}
  const report = (field: string, message: string) => {
    const reported = (errors[field] ??= [])
    if (!reported.includes(message)) reported.push(message)
  }
  const seen = new Set<number>()
  const checked = asked.targets.flatMap(({ target, account }): CheckedTarget[] => {
    const platform = PlatformId.parse(account.platform)
    const adapter = platforms[platform]
    if (adapter === null) throw platformOff(platform)
    if (target.platform !== null && target.platform !== platform) {
      report(target.field, `${accountName(account)} is an account on ${PLATFORM_NAMES[platform]}.`)
      return []
    }
    if (seen.has(account.account_id)) report(target.field, 'Choose each account once.')
    seen.add(account.account_id)
    const obstacle = target.isInPost ? null : accountObstacle(account)
    if (obstacle !== null) report(target.field, obstacle)
    // An inbox takes only the video.
    const draft = goesToInbox(platform, target.options) ? INBOX_OPTIONS[platform] : null
    const text = draft === null ? target.text : ''
    const limits = draft === null ? {} : { maxDurationS: draft.maxDurationS }
    for (const problem of checkText(text, platform)) report(target.textField, problem)
    for (const finding of checkVideo(asked.video.facts, asked.video.size, platform, limits)) {
      if (finding.level === 'error') report(asked.videoField, `${finding.message} ${finding.remedy}`)
    }
    const unwanted = draft === null ? null : inboxObstacle(account)
    if (draft !== null && unwanted !== null) report(`${target.optionsField}.${draft.name}`, unwanted)
    const comment = commentObstacle(adapter, target, account)
    if (comment !== null) report(`${target.optionsField}.first_comment`, comment)
    const open = commentsOffObstacle(adapter, target, account)
    if (open !== null) report(`${target.optionsField}.comment_enabled`, open)
    const options = PLATFORM_OPTIONS[platform].safeParse(target.options, {
      error: inPlainWords(target.options),
    })
    if (options.success) {
      const cover = coverPastTheEnd(platform, options.data, asked.video.facts)
      if (cover !== null) report(`${target.optionsField}.${cover}`, 'The video is shorter than that.')
      const pictureId = pictureOf(platform, options.data)
      if (pictureId !== null && !asked.pictures.has(pictureId))
        report(`${target.optionsField}.${PICTURE_OPTIONS[platform]}`, PICTURE_GONE)
      return [
        { account, platform, text, options: options.data, pictureId, afterMinutes: target.afterMinutes },
      ]
    }
    for (const [field, messages] of Object.entries(fieldErrors(options.error))) {
      for (const message of messages) report(`${target.optionsField}.${field}`, message)
    }
    return []
  })
  return { checked, errors }
}

const inboxObstacle = (account: AccountRow): string | null =>
  hasGranted(account, 'inbox_draft')
    ? null
    : `${accountName(account)} did not allow drafts. Link it again with drafts ticked, or post directly.`

function commentObstacle(adapter: Platform, { options }: Target, account: AccountRow): string | null {
  if ((options['first_comment'] ?? null) === null) return null
  if (!adapter.firstComment) return `${PLATFORM_NAMES[adapter.id]} does not allow first comments.`
  return hasGranted(account, 'comments')
    ? null
    : `${accountName(account)} did not allow comments. Link it again with comments ticked, or leave out the first comment.`
}

/** A platform whose options lack it refuses it itself. */
const commentsOffObstacle = (adapter: Platform, { options }: Target, account: AccountRow): string | null =>
  options['comment_enabled'] !== false || !adapter.turnOffComments || hasGranted(account, 'comments')
    ? null
    : `${accountName(account)} did not allow comments. Link it again with comments ticked, or leave comments on.`

const PICTURE_GONE = "This picture isn't stored any more. Choose another one."

/** The own picture that a target's options name. */
export function pictureOf(platform: PlatformId, options: object): number | null {
  const field = PICTURE_OPTIONS[platform]
  if (field === null) return null
  return PictureId.safeParse(new Map<string, unknown>(Object.entries(options)).get(field)).data ?? null
}

/** The option that names a cover which the platform would refuse, perhaps weeks after the post was scheduled. */
function coverPastTheEnd(platform: PlatformId, options: object, facts: VideoFacts): string | null {
  const field = CHECKED_COVERS[platform]
  if (field === null) return null
  const at = new Map<string, unknown>(Object.entries(options)).get(field)
  return typeof at === 'number' && at >= facts.duration_s * 1000 ? field : null
}

function accountObstacle(account: AccountRow): string | null {
  if (account.relink_reason !== null) {
    return `Link ${accountName(account)} again first. ${account.relink_reason}`
  }
  return account.can_publish
    ? null
    : `${accountName(account)} did not allow posting. Link it again and leave that ticked.`
}

import { asObject } from '../kit/json.ts'
import type { Answer } from '../kit/http/serve.ts'
import { badRequest, forbidden, unexpectedPart } from './answers.ts'
import { findCategory } from './categories.ts'
import type { Creator, Metadata, YouTube } from './state.ts'

type Kind = 'text' | 'boolean' | 'texts'

/** The fields that `videos.insert` sets, by their part; everything else is refused. */
const settable: Record<string, Record<string, Kind>> = {
  snippet: {
    title: 'text',
    description: 'text',
    tags: 'texts',
    categoryId: 'text',
    defaultLanguage: 'text',
  },
  status: {
    privacyStatus: 'text',
    publishAt: 'text',
    selfDeclaredMadeForKids: 'boolean',
    containsSyntheticMedia: 'boolean',
    license: 'text',
    embeddable: 'boolean',
    publicStatsViewable: 'boolean',
  },
  recordingDetails: { recordingDate: 'text' },
  paidProductPlacementDetails: { hasPaidProductPlacement: 'boolean' },
}

/** The metadata of an upload as `videos.insert` checks it, or its refusal. */
export function readMetadata(
  youtube: YouTube,
  creator: Creator,
  body: Record<string, unknown>,
  { parts, notifySubscribers }: { parts: string[]; notifySubscribers: boolean },
): Metadata | Answer {
  const refused = refuseShape(youtube, body, parts)
  if (refused !== null) return refused
  // `refuseShape` made sure of the types.
  const snippet = (body.snippet ?? {}) as Partial<Metadata>
  const status = (body.status ?? {}) as Partial<Metadata>
  const recording = (body.recordingDetails ?? {}) as Partial<Metadata>
  const paid = (body.paidProductPlacementDetails ?? {}) as Partial<Metadata>
  const metadata: Metadata = {
    title: snippet.title ?? '',
    description: snippet.description ?? '',
    tags: snippet.tags ?? [],
    // The default is not verified.
    categoryId: snippet.categoryId ?? '22',
    defaultLanguage: snippet.defaultLanguage ?? null,
    // Since 2026-11-02 an omitted one means public.
    privacyStatus: status.privacyStatus ?? 'public',
    publishAt: status.publishAt ?? null,
    selfDeclaredMadeForKids: status.selfDeclaredMadeForKids ?? null,
    containsSyntheticMedia: status.containsSyntheticMedia ?? false,
    license: status.license ?? 'youtube',
    embeddable: status.embeddable ?? true,
    publicStatsViewable: status.publicStatsViewable ?? true,
    hasPaidProductPlacement: paid.hasPaidProductPlacement ?? false,
    recordingDate: recording.recordingDate ?? null,
    localizations: (body.localizations ?? {}) as Metadata['localizations'],
    notifySubscribers,
  }
  return refuseValues(youtube, metadata) ?? hide(youtube, creator, metadata)
}

function refuseShape(youtube: YouTube, body: Record<string, unknown>, parts: string[]): Answer | null {
  for (const [part, given] of Object.entries(body)) {
    if (part === 'kind' || part === 'etag') continue
    if (!parts.includes(part)) return unexpectedPart(youtube, part)
    const fields = part === 'localizations' ? null : settable[part]
    const values = asObject(given)
    if (fields === undefined || values === null) return parseError(youtube, part)
    for (const [name, value] of Object.entries(values)) {
      const isGood = fields === null ? isLocalization(value) : isOfKind(value, fields[name])
      if (!isGood) return parseError(youtube, `${part}.${name}`)
    }
  }
  return null
}

const isText = (value: unknown): value is string => typeof value === 'string'

function isOfKind(value: unknown, kind: Kind | undefined): boolean {
  switch (kind) {
    case 'text':
      return isText(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'texts':
      return Array.isArray(value) && value.every(isText)
    case undefined:
      return false
  }
}

const isLocalization = (value: unknown): boolean =>
  Object.entries(asObject(value) ?? { none: null }).every(
    ([name, text]) => ['title', 'description'].includes(name) && isText(text),
  )

export const parseError = (youtube: YouTube, where: string): Answer =>
  badRequest(youtube, 'parseError', `Invalid JSON payload received. Unknown name or wrong type: ${where}`)

function refuseValues(youtube: YouTube, metadata: Metadata): Answer | null {
  const invalid = (reason: string): Answer =>
    badRequest(youtube, reason, `The request metadata specifies an invalid value: ${reason}`, 'youtube.video')
  const { title, description, tags, categoryId, defaultLanguage, privacyStatus, license } = metadata
  // "1–100 characters": counted in UTF-16 units, by which a text is never shorter.
  if (title.trim() === '' || title.length > 100 || /[<>]/.test(title)) return invalid('invalidTitle')
  if (Buffer.byteLength(description) > 5000 || /[<>]/.test(description)) return invalid('invalidDescription')
  if (tags.some((tag) => tag.trim() === '') || tagsLength(tags) > 500) return invalid('invalidTags')
  if (findCategory(categoryId)?.assignable !== true) return invalid('invalidCategoryId')
  if (Object.keys(metadata.localizations).length > 0 && defaultLanguage === null)
    return invalid('defaultLanguageNotSet')
  if (!['public', 'unlisted', 'private'].includes(privacyStatus))
    return forbidden(youtube, 'forbiddenPrivacySetting', 'The privacy status is not possible.')
  if (!['youtube', 'creativeCommon'].includes(license))
    return forbidden(youtube, 'forbiddenLicenseSetting', 'The license is not possible.')
  const { publishAt, recordingDate } = metadata
  if (publishAt !== null && (privacyStatus !== 'private' || !isTime(publishAt)))
    return invalid('invalidPublishAt')
  if (recordingDate !== null && !isTime(recordingDate)) return invalid('invalidRecordingDetails')
  return null
}

/** RFC 3339, with a zone. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && Number.isFinite(Date.parse(text))

/** A tag with a space counts as in quotes, and tags are joined by commas. */
const tagsLength = (tags: string[]): number =>
  tags.reduce((sum, tag) => sum + tag.length + (tag.includes(' ') ? 2 : 0), Math.max(0, tags.length - 1))

/** The video may come out more private than it was asked for. */
const hide = (youtube: YouTube, creator: Creator, metadata: Metadata): Metadata =>
  creator.private || youtube.settings.get().youtube_private_lock
    ? { ...metadata, privacyStatus: 'private', publishAt: null }
    : metadata

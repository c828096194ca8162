import { z } from 'zod'
import { hasPermission } from '#contract/accounts.ts'
import { INSTAGRAM_GRADUATIONS, InstagramOptions } from '#contract/platforms/instagram.ts'
import { messagesOf } from '#web/platforms/kit/field-errors.ts'
import { joinNames, namesIn } from './names.ts'
import {
  hasShape,
  type OptionsPanel,
  type PanelContext,
  type PictureSize,
  type Validation,
} from '#web/platforms/kit/panel.ts'

export const Graduation = z.enum(INSTAGRAM_GRADUATIONS)

/** Names are kept as they are typed: usernames with spaces or commas between. */
export type InstagramChoices = z.infer<typeof InstagramChoices>
const InstagramChoices = z.object({
  shareToFeed: z.boolean(),
  coverMs: z.int().min(0),
  // The option's own name, by which the server knows that a draft needs the picture.
  cover_picture_id: z.int().min(1).nullable().default(null),
  collaborators: z.string(),
  tags: z.string(),
  audioName: z.string(),
  trial: Graduation.nullable(),
  ai: z.boolean(),
  firstComment: z.string().default(''),
  commentsOff: z.boolean().default(false),
})

/** Instagram's options. */
export const instagramOptions: OptionsPanel<InstagramChoices, InstagramOptions> = {
  platform: 'instagram',
  empty: {
    shareToFeed: true,
    coverMs: 0,
    cover_picture_id: null,
    collaborators: '',
    tags: '',
    audioName: '',
    trial: null,
    ai: false,
    firstComment: '',
    commentsOff: false,
  },
  schema: InstagramChoices,
  needsOptions: false,
  withoutFields: {
    first_comment: { label: 'Post without a comment', apply: (value) => ({ ...value, firstComment: '' }) },
    collaborators: {
      label: 'Leave out the collaborators',
      apply: (value) => ({ ...value, collaborators: '' }),
    },
    user_tags: { label: 'Leave out the tags', apply: (value) => ({ ...value, tags: '' }) },
    audio_name: { label: 'Leave out the name', apply: (value) => ({ ...value, audioName: '' }) },
    comment_enabled: { label: 'Leave comments on', apply: (value) => ({ ...value, commentsOff: false }) },
  },
  fields: ['collaborators', 'user_tags', 'audio_name', 'first_comment', 'comment_enabled'],
  validate,
  summary,
  fromOptions,
  coverMs: ({ coverMs }) => coverMs,
  withCover: (value, coverMs) => ({ ...value, coverMs }),
  isPersonal: ({ collaborators, tags, firstComment, cover_picture_id }) =>
    [collaborators, tags, firstComment].some((text) => text.trim() !== '') || cover_picture_id !== null,
  picture: {
    of: ({ cover_picture_id }) => cover_picture_id,
    with: (value, pictureId) => ({ ...value, cover_picture_id: pictureId }),
    noun: 'cover',
    fit: fitCover,
  },
}

/** IG User Media, 2026-09-11: a cover is 9:16, or cropped to it. */
export function fitCover(picture: PictureSize): string | null {
  return hasShape(picture, 9 / 16) ? null : 'It will be cropped to 9:16.'
}

function validate(value: InstagramChoices, { account }: PanelContext): Validation<InstagramOptions> {
  const audioName = value.audioName.trim()
  const firstComment = value.firstComment.trim()
  const parsed = InstagramOptions.safeParse({
    media_type: 'VIDEO',
    share_to_feed: value.shareToFeed,
    collaborators: namesIn(value.collaborators),
    user_tags: namesIn(value.tags),
    is_ai_generated: value.ai,
    ...(value.coverMs > 0 && { thumb_offset: value.coverMs }),
    ...(value.cover_picture_id !== null && { cover_picture_id: value.cover_picture_id }),
    ...(audioName !== '' && { audio_name: audioName }),
    ...(firstComment !== '' && { first_comment: firstComment }),
    ...(value.commentsOff && { comment_enabled: false }),
    ...(value.trial !== null && { trial_params: { graduation_strategy: value.trial } }),
  })
  const isWithheld = account !== null && hasPermission(account, 'comments') === false
  const mayNot = {
    ...(isWithheld &&
      firstComment !== '' && { first_comment: 'Allow comments, or leave out the first comment.' }),
    ...(isWithheld &&
      value.commentsOff && {
        comment_enabled: 'Allow Reelay to change comments, or leave them on.',
      }),
  }
  return parsed.success && Object.keys(mayNot).length === 0
    ? { ok: true, info: parsed.data }
    : { ok: false, errors: { ...(parsed.error && messagesOf(parsed.error)), ...mayNot } }
}

function summary({
  shareToFeed,
  trial,
  collaborators,
  tags,
  ai,
  commentsOff,
  cover_picture_id,
}: InstagramChoices): string {
  const asked = namesIn(collaborators).length
  const tagged = namesIn(tags).length
  const parts = [
    trial !== null ? 'Trial reel' : shareToFeed ? 'Reel and feed' : 'Reel only',
    asked > 0 && (asked === 1 ? '1 collaborator' : `${asked} collaborators`),
    tagged > 0 && `${tagged} tagged`,
    ai && 'AI-generated',
    commentsOff && 'comments off',
    cover_picture_id !== null && 'cover picture',
  ]
  return parts.filter(Boolean).join(', ')
}

function fromOptions(options: unknown): InstagramChoices {
  const parsed = InstagramOptions.safeParse(options)
  if (!parsed.success) return instagramOptions.empty
  const sent = parsed.data
  return {
    shareToFeed: sent.share_to_feed,
    coverMs: sent.thumb_offset ?? 0,
    cover_picture_id: sent.cover_picture_id ?? null,
    collaborators: joinNames(sent.collaborators),
    tags: joinNames(sent.user_tags),
    audioName: sent.audio_name ?? '',
    trial: sent.trial_params?.graduation_strategy ?? null,
    ai: sent.is_ai_generated,
    firstComment: sent.first_comment ?? '',
    commentsOff: sent.comment_enabled === false,
  }
}

import { z } from 'zod'
import { hasPermission } from '#contract/accounts.ts'
import { proposeYouTubeTitle } from '#contract/platforms/proposed-options.ts'
import { YOUTUBE_LICENSES, YouTubeOptions, YouTubePrivacy } from '#contract/platforms/youtube.ts'
import { counted } from '#web/lib/amounts.ts'
import { messagesOf } from '#web/platforms/kit/field-errors.ts'
import {
  hasShape,
  type OptionsPanel,
  type PanelContext,
  type PictureSize,
  type Validation,
} from '#web/platforms/kit/panel.ts'
import { PRIVACY_LABELS } from './labels.ts'
import { joinTags, tagsIn } from './tags.ts'
import { Terms } from './terms.tsx'

export const License = z.enum(YOUTUBE_LICENSES)

/** null: the user has not chosen. Tags are kept as they are typed. */
export type YouTubeChoices = z.infer<typeof YouTubeChoices>
const YouTubeChoices = z.object({
  /** null: the caption's first line. */
  title: z.string().nullable(),
  privacy: YouTubePrivacy.nullable(),
  madeForKids: z.boolean().nullable(),
  synthetic: z.boolean(),
  tags: z.string(),
  category: z.string().nullable(),
  notify: z.boolean(),
  license: License,
  embeddable: z.boolean(),
  publicStats: z.boolean(),
  // The option's own name, by which the server knows that a draft needs the picture.
  thumbnail_picture_id: z.int().min(1).nullable(),
  firstComment: z.string(),
})

/** YouTube's options. Nothing that the law or YouTube's policies leave to the user is preselected. */
export const youtubeOptions: OptionsPanel<YouTubeChoices, YouTubeOptions> = {
  platform: 'youtube',
  empty: {
    title: null,
    privacy: null,
    madeForKids: null,
    synthetic: false,
    tags: '',
    category: null,
    notify: true,
    license: 'youtube',
    embeddable: true,
    publicStats: true,
    thumbnail_picture_id: null,
    firstComment: '',
  },
  schema: YouTubeChoices,
  needsOptions: false,
  withoutFields: {
    first_comment: { label: 'Post without a comment', apply: (value) => ({ ...value, firstComment: '' }) },
    tags: { label: 'Leave out the tags', apply: (value) => ({ ...value, tags: '' }) },
  },
  fields: [
    'title',
    'privacy',
    'made_for_kids',
    'tags',
    'category_id',
    'first_comment',
    'thumbnail_picture_id',
  ],
  validate,
  summary,
  fromOptions,
  coverMs: () => 0,
  withCover: (value) => value,
  shownText: titleOf,
  isPersonal: ({ tags, firstComment, thumbnail_picture_id }) =>
    [tags, firstComment].some((text) => text.trim() !== '') || thumbnail_picture_id !== null,
  picture: {
    of: ({ thumbnail_picture_id }) => thumbnail_picture_id,
    with: (value, pictureId) => ({ ...value, thumbnail_picture_id: pictureId }),
    noun: 'thumbnail',
    fit: fitThumbnail,
  },
  Terms,
}

/** Thumbnails, a copy of 2026: YouTube resizes other shapes, with black bars. That a Short's is 9:16 is what users report. */
export function fitThumbnail(picture: PictureSize): string | null {
  return hasShape(picture, 16 / 9) || hasShape(picture, 9 / 16)
    ? null
    : 'YouTube will fit it to 16:9, or to 9:16 for a Short.'
}

/** The title that goes out. */
export function titleOf({ title }: YouTubeChoices, { text }: Pick<PanelContext, 'text'>): string {
  return title ?? proposeYouTubeTitle(text)
}

function validate(value: YouTubeChoices, context: PanelContext): Validation<YouTubeOptions> {
  const { account } = context
  const firstComment = value.firstComment.trim()
  const parsed = YouTubeOptions.safeParse({
    title: titleOf(value, context),
    privacy: value.privacy ?? undefined,
    made_for_kids: value.madeForKids ?? undefined,
    synthetic_media: value.synthetic,
    tags: tagsIn(value.tags),
    notify_subscribers: value.notify,
    license: value.license,
    embeddable: value.embeddable,
    public_stats: value.publicStats,
    ...(value.category !== null && { category_id: value.category }),
    ...(value.thumbnail_picture_id !== null && { thumbnail_picture_id: value.thumbnail_picture_id }),
    ...(firstComment !== '' && { first_comment: firstComment }),
  })
  const isWithheld = account !== null && hasPermission(account, 'comments') === false
  const own = {
    ...(value.privacy === null && { privacy: 'Choose who can see this video.' }),
    ...(value.madeForKids === null && { made_for_kids: 'Say whether this video is made for kids.' }),
    ...(isWithheld &&
      whyNoComment(value) === null &&
      firstComment !== '' && { first_comment: 'Allow comments, or leave out the first comment.' }),
  }
  return parsed.success && Object.keys(own).length === 0
    ? { ok: true, info: parsed.data }
    : // In the order of the schema, in which they are asked for.
      { ok: false, errors: { ...(parsed.error && messagesOf(parsed.error)), ...own } }
}

/** Why the video can have no first comment; null: it can. */
export function whyNoComment({ madeForKids, privacy }: YouTubeChoices): string | null {
  if (madeForKids === true) return 'YouTube turns comments off on videos made for kids.'
  return privacy === 'private' ? 'Private videos have no comments.' : null
}

function summary({ privacy, madeForKids, synthetic, tags, thumbnail_picture_id }: YouTubeChoices): string {
  if (privacy === null) return ''
  const count = tagsIn(tags).length
  const parts = [
    PRIVACY_LABELS[privacy],
    madeForKids === true && 'made for kids',
    synthetic && 'altered content',
    count > 0 && counted(count, 'tag'),
    thumbnail_picture_id !== null && 'thumbnail',
  ]
  return parts.filter(Boolean).join(', ')
}

/** A title that the caption proposes is absent. */
const PostedOptions = z.object(YouTubeOptions.shape).partial({ title: true })

function fromOptions(options: unknown): YouTubeChoices {
  const parsed = PostedOptions.safeParse(options)
  if (!parsed.success) return youtubeOptions.empty
  const sent = parsed.data
  return {
    title: sent.title ?? null,
    privacy: sent.privacy,
    madeForKids: sent.made_for_kids,
    synthetic: sent.synthetic_media,
    tags: joinTags(sent.tags),
    category: sent.category_id ?? null,
    notify: sent.notify_subscribers,
    license: sent.license,
    embeddable: sent.embeddable,
    publicStats: sent.public_stats,
    thumbnail_picture_id: sent.thumbnail_picture_id ?? null,
    firstComment: sent.first_comment ?? '',
  }
}

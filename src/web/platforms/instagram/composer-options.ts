import { z } from 'zod'
import { INSTAGRAM_GRADUATIONS, InstagramOptions } from '#contract/platforms/instagram.ts'
import { messagesOf } from '#web/video/form/field-errors.ts'
import type { OptionsPanel, Validation } from '#web/video/form/panel.ts'

export const Graduation = z.enum(INSTAGRAM_GRADUATIONS)

/** Names as they are typed: usernames with spaces or commas between. */
export type InstagramChoices = z.infer<typeof InstagramChoices>
const InstagramChoices = z.object({
  shareToFeed: z.boolean(),
  coverMs: z.int().min(0),
  collaborators: z.string(),
  tags: z.string(),
  audioName: z.string(),
  trial: Graduation.nullable(),
  ai: z.boolean(),
})

/** Instagram's options. */
export const instagramOptions: OptionsPanel<InstagramChoices, InstagramOptions> = {
  platform: 'instagram',
  empty: {
    shareToFeed: true,
    coverMs: 0,
    collaborators: '',
    tags: '',
    audioName: '',
    trial: null,
    ai: false,
  },
  schema: InstagramChoices,
  needsOptions: false,
  validate,
  summary,
  fromOptions,
  coverMs: ({ coverMs }) => coverMs,
  withCover: (value, coverMs) => ({ ...value, coverMs }),
}

/** "@maria, sam" are two people. */
const namesIn = (typed: string): string[] =>
  typed
    .split(/[\s,]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter((name) => name !== '')

function validate(value: InstagramChoices): Validation<InstagramOptions> {
  const audioName = value.audioName.trim()
  const parsed = InstagramOptions.safeParse({
    media_type: 'VIDEO',
    share_to_feed: value.shareToFeed,
    collaborators: namesIn(value.collaborators),
    user_tags: namesIn(value.tags),
    is_ai_generated: value.ai,
    ...(value.coverMs > 0 && { thumb_offset: value.coverMs }),
    ...(audioName !== '' && { audio_name: audioName }),
    ...(value.trial !== null && { trial_params: { graduation_strategy: value.trial } }),
  })
  return parsed.success ? { ok: true, info: parsed.data } : { ok: false, errors: messagesOf(parsed.error) }
}

function summary({ shareToFeed, trial, collaborators }: InstagramChoices): string {
  const people = namesIn(collaborators).length
  return [
    trial !== null ? 'Trial reel' : shareToFeed ? 'Reel and feed' : 'Reel only',
    ...(people > 0 ? [people === 1 ? '1 collaborator' : `${people} collaborators`] : []),
  ].join(', ')
}

function fromOptions(options: unknown): InstagramChoices {
  const parsed = InstagramOptions.safeParse(options)
  if (!parsed.success) return instagramOptions.empty
  const sent = parsed.data
  return {
    shareToFeed: sent.share_to_feed,
    coverMs: sent.thumb_offset ?? 0,
    collaborators: sent.collaborators.join(' '),
    tags: sent.user_tags.join(' '),
    audioName: sent.audio_name ?? '',
    trial: sent.trial_params?.graduation_strategy ?? null,
    ai: sent.is_ai_generated,
  }
}

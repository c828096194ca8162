import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { AccountId } from '../ids.ts'
import { POST_BODY_MAX_BYTES } from '../limits.ts'
import { PlatformId } from '../platforms/index.ts'
import { NewPost, SimilarPost } from '../posts.ts'
import { Finding } from '../videos.ts'
import { ScheduleMove } from './schedules.ts'

/** A dry run's answer: the post that `createPost` would make. */
export const DryRun = z.object({
  preview_token: z
    .string()
    .describe(
      'Stands for these accounts, texts, options, video, times and `moves`. With it, `createPost` makes exactly this post, and makes it once.',
    ),
  targets: z.array(
    z.object({
      account_id: AccountId,
      platform: PlatformId,
      text: z.string().describe('The text that would go out.'),
      goes_out_at: z.iso.datetime().nullable().describe('null: as soon as possible.'),
      findings: z.array(Finding).describe('What the platform may handle badly.'),
    }),
  ),
  moves: z.array(ScheduleMove).describe('The posts that would make room for it in its posting schedule.'),
  similar: z.array(SimilarPost).describe('What went or will go to these accounts and is much the same.'),
})
export type DryRun = z.infer<typeof DryRun>

export const dryRunEndpoints = {
  tryPost: endpoint({
    method: 'POST',
    path: '/posts/dry-run',
    tag: 'Posts',
    summary:
      'Find out what createPost would do with this body. Refuses what it would refuse, and changes nothing',
    auth: 'read',
    limitedKeys: 'named',
    body: NewPost.omit({ draft: true }),
    maxBodyBytes: POST_BODY_MAX_BYTES,
    status: 200,
    reply: DryRun,
    problems: [
      'invalid',
      'not_found',
      'too_large',
      'conflict',
      'already_posted',
      'slot_not_free',
      'platform_off',
    ],
  }),
} as const

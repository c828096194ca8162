import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { AccountId, BrandId, PostId, ScheduleId } from '../ids.ts'
import { POSTS_AT_ONCE_MAX } from '../limits.ts'

/** The effect of pausing or resuming. Only resuming releases deliveries or marks them as missed. */
export const PauseResult = z.object({
  paused: z.boolean(),
  released: z.int().describe('Deliveries that go out after resuming, those of one account a minute apart.'),
  missed: z
    .int()
    .describe(
      'Deliveries that were due too long ago to go out by themselves. Each waits for the user (`cause: missed`).',
    ),
  missed_post_ids: z
    .array(PostId)
    .max(POSTS_AT_ONCE_MAX)
    .describe(
      'The posts of the missed deliveries, as many as one `POST /posts/bulk` takes, in the order of their times.',
    ),
})
export type PauseResult = z.infer<typeof PauseResult>

const Pause = z
  .object({
    paused: z.boolean(),
    until: z.iso
      .datetime()
      .optional()
      .describe(
        'Only with `paused: true`: the time at which it resumes by itself, within a minute. Without it the pause lasts until it is ended.',
      ),
  })
  .refine(({ paused, until }) => paused || until === undefined, {
    path: ['until'],
    message: 'Only a pause can have an end.',
  })

const pause = { method: 'PUT', auth: 'publish', body: Pause, status: 200, reply: PauseResult } as const
const SUMMARY =
  'Once a pause has been answered, no further post begins to be published. What comes due waits as `blocked` (`cause: paused`)'

export const pauseEndpoints = {
  pauseAccount: endpoint({
    ...pause,
    path: '/accounts/:accountId/pause',
    tag: 'Accounts',
    summary: `Pause or resume posting to an account. ${SUMMARY}`,
    params: z.object({ accountId: AccountId }),
    problems: ['invalid', 'not_found'],
  }),
  pauseBrand: endpoint({
    ...pause,
    path: '/brands/:brandId/pause',
    tag: 'Brands',
    summary: `Pause or resume posting to the accounts of a brand. ${SUMMARY}`,
    params: z.object({ brandId: BrandId }),
    problems: ['invalid', 'not_found'],
  }),
  pauseSchedule: endpoint({
    ...pause,
    path: '/schedules/:scheduleId/pause',
    tag: 'Posting schedules',
    summary: `Pause or resume the posts of a posting schedule. ${SUMMARY}`,
    params: z.object({ scheduleId: ScheduleId }),
    problems: ['invalid', 'not_found'],
  }),
} as const

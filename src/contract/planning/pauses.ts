import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { AccountId, BrandId, ScheduleId } from '../ids.ts'

/** The effect of pausing or resuming. Only resuming releases deliveries or marks them as missed. */
export const PauseResult = z.object({
  paused: z.boolean(),
  released: z.int().describe('Deliveries that go out after resuming, those of one account a minute apart.'),
  missed: z
    .int()
    .describe(
      'Deliveries that were due too long ago to go out by themselves. Each waits for the user (`cause: missed`).',
    ),
})
export type PauseResult = z.infer<typeof PauseResult>

const Pause = z.object({ paused: z.boolean() })

const pause = { method: 'PUT', auth: 'bearer', body: Pause, status: 200, reply: PauseResult } as const
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

import { z } from 'zod'

/** These posts would not go out if their accounts were unlinked. */
export const WaitingPosts = z.object({
  posts: z.int().describe('Posts that are scheduled or blocked.'),
  first_at: z.iso.datetime().nullable().describe('The time at which the first of them goes out.'),
  last_at: z.iso.datetime().nullable().describe('The time at which the last of them goes out.'),
})
export type WaitingPosts = z.infer<typeof WaitingPosts>

/** Nothing that waits is cancelled unless its number is given, and is still right. */
export const CancelPosts = z.object({
  cancel_posts: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('The number of scheduled posts that the user agreed to cancel, as `waiting-posts` returns it.'),
})

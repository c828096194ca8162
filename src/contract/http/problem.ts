import { z } from 'zod'

/** Every error code that the API answers, with its HTTP status. The code is for programs, the message for people. */
export const PROBLEMS = {
  malformed: 400,
  unauthorized: 401,
  forbidden: 403,
  login_again: 403,
  signup_closed: 403,
  user_disabled: 403,
  platform_off: 403,
  not_found: 404,
  conflict: 409,
  platform_refused: 409,
  email_taken: 409,
  already_linked: 409,
  in_flight: 409,
  already_posted: 409,
  posts_waiting: 409,
  posts_move: 409,
  preview_changed: 409,
  slot_not_free: 409,
  not_offered: 409,
  tus_version: 412,
  too_large: 413,
  unsupported_media: 415,
  invalid: 422,
  key_reused: 422,
  link_refused: 422,
  locked: 423,
  too_many_requests: 429,
  internal: 500,
  platform_failed: 502,
  unavailable: 503,
  quota_exceeded: 507,
  disk_full: 507,
} as const satisfies Record<string, number>

export type ProblemCode = keyof typeof PROBLEMS
export const ProblemCode = z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]) // keys of a const object

/** Another delivery of the same video to the same account of a platform. */
export const Repeat = z.object({
  platform: z.string(),
  username: z.string().nullable(),
  display_name: z.string(),
  post_id: z
    .int()
    .nullable()
    .describe(
      'The post that it belongs to. null if that was deleted, or belongs to another user of this server.',
    ),
  status: z.string().describe("The delivery's status."),
  at: z.iso.datetime().nullable().describe('The time at which it reached the account or will go out.'),
  url: z.string().nullable().describe('The address of the live post, if it is known.'),
})
export type Repeat = z.infer<typeof Repeat>

/** Every refused call answers this. `errors` names fields and says what each of them takes. */
export const ProblemBody = z.object({
  message: z.string().describe('The problem, as a sentence for the user.'),
  code: ProblemCode.describe('A code for programs.'),
  docs: z.string().optional().describe('Where this server documents the code.'),
  retryable: z
    .boolean()
    .optional()
    .describe('true if the same request may succeed later, after `Retry-After` where that is given.'),
  errors: z.record(z.string(), z.array(z.string())).optional().describe('Messages for each field.'),
  repeats: z
    .array(Repeat)
    .optional()
    .describe('With `already_posted`: the other deliveries of this video to the same account.'),
  request_id: z.string().optional().describe('Quote this id when you report a fault of the server.'),
})
export type ProblemBody = z.infer<typeof ProblemBody>

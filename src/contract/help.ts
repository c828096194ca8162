import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { PlatformId } from './platforms/index.ts'
import { PlatformMode } from './settings.ts'

/** What follows a failure if nobody acts. */
export const FAILURE_COURSES = [
  'not_taken',
  'warned',
  'not_linked',
  'needs_you',
  'needs_link',
  'renewed',
  'waits',
  'tries_again',
  'is_asked',
] as const
export const FailureCourse = z.enum(FAILURE_COURSES).describe(
  `not_taken: said before anything is sent. warned: said, and sent all the same. not_linked: no account was linked.
needs_you: it has failed. needs_link: held until the account is linked again. renewed: the same, unless the access can be
renewed. waits: held until a limit allows it. tries_again: by itself. is_asked: the platform is asked what became of it.`,
)
export type FailureCourse = z.infer<typeof FailureCourse>

/** A known failure: its texts, its consequence and its codes. */
export const KnownFailure = z.object({
  message: z.string().describe('What happened, to the letter as a delivery says it.'),
  remedy: z.string(),
  course: FailureCourse,
  waits_s: z
    .array(z.int())
    .describe('Seconds before each new try; before the one that goes out, where it waits for a limit.'),
  gives_up: z.boolean().describe('Whether it fails after the last of those tries.'),
  codes: z
    .array(z.object({ platform: PlatformId, codes: z.array(z.string()) }))
    .describe('Where it can happen, and by which codes; none where the platform tells it by words alone.'),
})
export type KnownFailure = z.infer<typeof KnownFailure>

/** This server's data for the help. */
export const Help = z.object({
  platforms: z.array(
    z.object({
      id: PlatformId,
      mode: PlatformMode,
      return_address: z.string().describe('To be registered at the platform, to the letter.'),
      scopes: z.array(z.string()),
      hooks: z
        .array(z.object({ called: z.string(), address: z.string() }))
        .describe(
          'Where the platform may call this server by itself, under the names that its own page gives them.',
        ),
    }),
  ),
  mail: z.enum(['sent', 'kept', 'hosted']).describe('kept: in the mailbox of the practice platforms.'),
  failures: z.array(KnownFailure),
})
export type Help = z.infer<typeof Help>

export const helpEndpoints = {
  getHelp: endpoint({
    method: 'GET',
    path: '/help',
    tag: 'Settings',
    summary: 'How each platform is set up here, and every failure that can be foreseen, with what to do',
    auth: 'none',
    status: 200,
    reply: Help,
    problems: [],
  }),
} as const

/** The anchor of a failure on the help page. */
export const failureAnchor = ({ message }: { readonly message: string }): string =>
  `failure-${message
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')}`

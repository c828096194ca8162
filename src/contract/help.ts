import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { PlatformId } from './platforms/index.ts'
import { PlatformMode } from './settings.ts'

/** A failure takes one of these courses if nobody acts. */
export const FAILURE_COURSES = [
  'not_taken',
  'warned',
  'not_linked',
  'needs_you',
  'needs_link',
  'renewed',
  'waits',
  'missed',
  'restored',
  'tries_again',
  'is_asked',
] as const
export const FailureCourse = z.enum(FAILURE_COURSES).describe(
  `not_taken: refused before anything is sent. warned: a warning; the post can be sent. not_linked: the account was not linked.
needs_you: the post failed. needs_link: the post waits until the account is linked again. renewed: the same, unless Reelay can
renew the access. waits: the post waits for a limit. missed: its time passed, and it waits for its user. restored: the server's data was
restored or copied, and it waits for its user. tries_again: Reelay retries. is_asked: Reelay checks with the platform.`,
)
export type FailureCourse = z.infer<typeof FailureCourse>

/** A known failure: its texts, its consequence and its codes. */
export const KnownFailure = z.object({
  message: z.string().describe('The failure, in the same words that the delivery shows.'),
  remedy: z.string(),
  course: FailureCourse,
  waits_s: z
    .array(z.int())
    .describe('Seconds before each retry. For `waits`: seconds until the limit allows the post.'),
  gives_up: z.boolean().describe('true if the post fails after the last retry.'),
  codes: z
    .array(z.object({ platform: PlatformId, codes: z.array(z.string()) }))
    .describe(
      'The platforms and their error codes. The list of codes is empty if the platform sends only a message.',
    ),
})
export type KnownFailure = z.infer<typeof KnownFailure>

/** This server's data for the help. */
export const Help = z.object({
  platforms: z.array(
    z.object({
      id: PlatformId,
      mode: PlatformMode,
      return_address: z
        .string()
        .describe('The redirect URI to register with the platform, character for character.'),
      scopes: z.array(z.string()),
      hooks: z
        .array(z.object({ called: z.string(), address: z.string() }))
        .describe("The webhook addresses of this server, under the platform's names for them."),
    }),
  ),
  mail: z
    .enum(['sent', 'kept', 'hosted'])
    .describe('kept: mails stay in the mailbox of the practice platforms.'),
  failures: z.array(KnownFailure),
})
export type Help = z.infer<typeof Help>

export const helpEndpoints = {
  getHelp: endpoint({
    method: 'GET',
    path: '/help',
    tag: 'Settings',
    summary: 'Show how each platform is set up on this server, and every known failure with its remedy',
    auth: 'none',
    publicForS: 60,
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

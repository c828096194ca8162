import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { PlatformId } from './platforms/index.ts'

/** `off`: this server has no keys for the platform; `practice`: the local stand-in. */
export const PlatformMode = z.enum(['live', 'practice', 'off'])
export type PlatformMode = z.infer<typeof PlatformMode>

/** Everybody may sign up, nobody, or whoever has an invitation. */
export const SignUpMode = z.enum(['open', 'closed', 'invited'])
export type SignUpMode = z.infer<typeof SignUpMode>

/** The server's settings that the web app needs before anybody has signed in. User settings are in `users.ts` and `notifications.ts`. */
export const Settings = z.object({
  signup: SignUpMode,
  is_new: z.boolean().describe('true while nobody has signed up on this server.'),
  identity: z.discriminatedUnion('mode', [
    z.object({
      mode: z.literal('embedded'),
      apiKey: z.string(),
      projectId: z.string(),
      path: z.string().describe('The path prefix of the identity service on this server.'),
      providers: z
        .array(
          z.object({
            id: z.string(),
            name: z.string(),
            auto: z.boolean().describe('true if the log-in page leads there by itself.'),
          }),
        )
        .describe('The OpenID Connect providers through which users can log in.'),
    }),
    z.object({
      mode: z.literal('firebase'),
      apiKey: z.string(),
      projectId: z.string(),
      authDomain: z.string(),
    }),
  ]),
  account: z
    .object({
      delete: z.boolean().describe('true if users may delete their own account.'),
      sign_out_everywhere: z
        .boolean()
        .describe(
          'true if users can end all their sessions at once. A hosted identity provider does not offer this.',
        ),
    })
    .describe('The actions that users can take with their Reelay account on this server.'),
  token_sync_url: z
    .string()
    .nullable()
    .describe('The path on this server to which the web app sends the ID token at login. null for none.'),
  platforms: z.array(
    z.object({
      id: PlatformId,
      name: z.string(),
      mode: PlatformMode,
      audit_form: z
        .boolean()
        .describe("true if the form must preselect nothing, as the platform's audit demands."),
    }),
  ),
  practice_url: z
    .string()
    .nullable()
    .describe('The page on which the practice platforms show what was posted.'),
  notice: z.string().nullable().describe('A warning for the overview, while it applies.'),
  legal_pages: z
    .array(z.enum(['terms', 'privacy']))
    .describe('The pages with texts of the operator that this server has: `/terms` and `/privacy`.'),
})
export type Settings = z.infer<typeof Settings>

export const settingsEndpoints = {
  getSettings: endpoint({
    method: 'GET',
    path: '/settings',
    tag: 'Settings',
    summary: 'Get the settings that a client needs before anybody has signed in',
    auth: 'none',
    // A page of a newer version must not read those of an older one.
    publicForS: 0,
    status: 200,
    reply: Settings,
    problems: [],
  }),
} as const

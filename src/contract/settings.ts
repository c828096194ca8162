import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { PlatformId } from './platforms/index.ts'

/** `off`: this server has no keys for the platform; `practice`: the local stand-in. */
export const PlatformMode = z.enum(['live', 'practice', 'off'])
export type PlatformMode = z.infer<typeof PlatformMode>

/** What the web app needs to know before anybody has signed in. */
export const Settings = z.object({
  signup: z.enum(['open', 'closed']),
  identity: z.discriminatedUnion('mode', [
    z.object({
      mode: z.literal('embedded'),
      apiKey: z.string(),
      projectId: z.string(),
      path: z.string().describe('Prefix of the identity service on this origin.'),
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
      delete: z.boolean().describe('Users may delete themselves.'),
      sign_out_everywhere: z
        .boolean()
        .describe('Users can end all their sessions at once; not possible with a hosted identity provider.'),
    })
    .describe('What a user can do with their account here.'),
  token_sync_url: z
    .string()
    .nullable()
    .describe('The path on this origin to which the web app sends the ID token at login; null: none.'),
  platforms: z.array(
    z.object({
      id: PlatformId,
      name: z.string(),
      mode: PlatformMode,
      audit_form: z.boolean().describe('The form preselects nothing, as an audit by the platform demands.'),
    }),
  ),
  practice_url: z.string().nullable().describe('Where the practice platforms show what was posted.'),
  notice: z.string().nullable().describe('Shown on the overview while it is true.'),
})
export type Settings = z.infer<typeof Settings>

export const settingsEndpoints = {
  getSettings: endpoint({
    method: 'GET',
    path: '/settings',
    tag: 'Settings',
    summary: 'What a client needs to know before anybody has signed in',
    auth: 'none',
    // A page of a newer version must not read those of an older one.
    publicForS: 0,
    status: 200,
    reply: Settings,
    problems: [],
  }),
} as const

import { z } from 'zod'
import { NewApiKey } from './api-keys.ts'
import { endpoint } from './http/endpoint.ts'
import { KEY_SCOPES } from './http/key-rights.ts'
import { AUTHORIZE_QUERY_MAX_CHARS, OAUTH_KEY_DAYS } from './limits.ts'

/** The only program that asks with a code that its user types. */
export const COMMAND_LINE = { id: 'reelay-cli', name: 'Reelay command line' } as const

/** RFC 8628, 3.4. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const byRequest = z.strictObject({
  request: z
    .union([
      z.strictObject({
        user_code: z
          .string()
          .max(40)
          .describe('The code that the program shows. Case, spaces and dashes do not matter.'),
      }),
      z.strictObject({
        query: z
          .string()
          .max(AUTHORIZE_QUERY_MAX_CHARS)
          .describe('The query of the address at `/authorize` to which the program sent the browser.'),
      }),
    ])
    .describe('How the program asks.'),
})

/** What a program asks of a user: to act in their name. */
export const AuthorizationRequest = z.object({
  client_name: z.string().describe('What the program calls itself.'),
  client_host: z
    .string()
    .nullable()
    .describe(
      'The host that describes the program. null: it belongs to Reelay, or nobody vouches for its name.',
    ),
  device_name: z.string().nullable().describe('What the device that shows the code says of itself.'),
  redirect_host: z
    .string()
    .nullable()
    .describe('The host that the browser is sent to afterwards. null: the program waits by itself.'),
  scopes: z.array(z.enum(KEY_SCOPES)).describe('What it asks for; `read` if it does not say.'),
})
export type AuthorizationRequest = z.infer<typeof AuthorizationRequest>

const Decided = z.object({
  redirect_to: z
    .string()
    .nullable()
    .describe('The address at which the program learns of the decision. null: it learns by itself.'),
})

export const oauthEndpoints = {
  getAuthorizationRequest: endpoint({
    method: 'POST',
    path: '/authorization-requests/show',
    tag: 'API keys',
    summary: 'Show which program asks to act for the user, and what it wants to do',
    auth: 'session',
    body: byRequest,
    status: 200,
    reply: AuthorizationRequest,
    problems: ['invalid', 'not_found'],
  }),
  approveAuthorization: endpoint({
    method: 'POST',
    path: '/authorization-requests/approve',
    tag: 'API keys',
    summary: `Let the program fetch an API key that lasts ${OAUTH_KEY_DAYS} days`,
    auth: 'session',
    body: byRequest.extend({
      scopes: NewApiKey.shape.scopes,
      limited_to: NewApiKey.shape.limited_to,
    }),
    status: 200,
    reply: Decided,
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  declineAuthorization: endpoint({
    method: 'POST',
    path: '/authorization-requests/decline',
    tag: 'API keys',
    summary: 'Tell the program that it gets no key',
    auth: 'session',
    body: byRequest,
    status: 200,
    reply: Decided,
    problems: ['invalid', 'not_found'],
  }),
} as const

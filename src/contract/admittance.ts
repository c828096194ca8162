import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { SIGN_UP_BODY_MAX_BYTES } from './limits.ts'
import { SignUp, User } from './users.ts'

/** Google's are below 2,000. */
const TOKEN_MAX_CHARS = 8_192

export const Admittance = SignUp.pick({ timezone: true, invitation: true }).extend({
  token: z.string().max(TOKEN_MAX_CHARS).describe('An ID token of the identity provider.'),
})
export type Admittance = z.infer<typeof Admittance>

export const admittanceEndpoints = {
  admitUser: endpoint({
    method: 'POST',
    path: '/users/admitted',
    tag: 'Users',
    summary: 'Become a user with an identity that exists',
    description:
      'For who has logged in at a hosted identity service and is no user of this server yet. Changes nothing for who is one.',
    auth: 'none',
    body: Admittance,
    maxBodyBytes: SIGN_UP_BODY_MAX_BYTES,
    status: 200,
    reply: User,
    problems: ['invalid', 'unauthorized', 'signup_closed', 'user_disabled'],
  }),
} as const

import { z } from 'zod'
import {
  type Hook,
  type HookFacts,
  type HookRequest,
  hmacSha256,
  refused,
  sameBytes,
} from '../kit/webhooks.ts'
import { parseJson } from '../kit/http.ts'
import type { InstagramConfig } from './api/config.ts'

export const HOOKS = [
  { name: 'deauthorize', called: 'Deauthorize callback URL' },
  { name: 'delete-data', called: 'Data deletion request URL' },
] as const satisfies HookFacts[]

type Secrets = Pick<InstagramConfig, 'appSecret' | 'metaAppSecret'>

/** Business Login guide: the owner removed the app. Sent once, as a form. */
export const deauthorize =
  (config: Secrets): Hook =>
  ({ body, now }) => {
    const request = readSignedRequest(config, body)
    if (request === null) return refused('signature')
    const { user_id: externalId, issued_at: issuedAt } = request.payload
    // Times are whole seconds; without one the event counts as sent now.
    const at = issuedAt === undefined ? now : issuedAt * 1000 + 999
    return { kind: 'access_removed', key: `deauthorize ${request.signature}`, externalId, at }
  }

/**
 * "Data Deletion Request Callback": the answer has an address where the person can see the progress, and a code. Old requests are accepted
 * too: a deletion must not be lost.
 */
export const deleteData =
  (config: Secrets): Hook =>
  ({ body }) => {
    const request = readSignedRequest(config, body)
    if (request === null) return refused('signature')
    return {
      kind: 'erase_person',
      // The signature reveals nothing about the person, so the key may be kept after the person is forgotten.
      key: `delete ${request.signature}`,
      externalId: request.payload.user_id,
      receipt: ({ code, url }) => ({ url, confirmation_code: code }),
    }
  }

const Payload = z.object({
  algorithm: z.string().regex(/^HMAC-SHA256$/i),
  user_id: z.string().regex(/^\d{1,32}$/),
  issued_at: z.int().min(0).max(99_999_999_999).optional(),
})
type SignedRequest = { readonly signature: string; readonly payload: z.infer<typeof Payload> }

/** `signed_request`: base64url of the signature, a dot, base64url of JSON. The signature is over the second part as it is written. */
function readSignedRequest(config: Secrets, body: HookRequest['body']): SignedRequest | null {
  const sent = new URLSearchParams(body.toString('utf8')).get('signed_request') ?? ''
  const [, given = '', encoded = ''] = /^([\w-]{1,100}={0,2})\.([\w-]+={0,2})$/.exec(sent) ?? []
  const signature = Buffer.from(given, 'base64url')
  // The documentation and observed calls disagree on which of the two secrets signs.
  const secrets = [config.appSecret, ...(config.metaAppSecret === null ? [] : [config.metaAppSecret])]
  const genuine = secrets.filter((secret) => sameBytes(hmacSha256(secret, encoded), signature)).length > 0
  if (encoded === '' || !genuine) return null
  const payload = Payload.safeParse(
    parseJson(Buffer.from(encoded, 'base64url').toString('utf8'), ['user_id']),
  )
  return payload.success ? { signature: signature.toString('hex'), payload: payload.data } : null
}

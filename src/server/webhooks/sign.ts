import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
/** Standard Webhooks asks for 24 to 64 bytes (specification, "Signature scheme", 2026-11-29). */
const SECRET_BYTES = 32

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** The headers of one attempt. Each of the secrets signs, so that a receiver may know either of two. @param at epoch ms */
export function signMessage(
  { eventId, body }: { readonly eventId: string; readonly body: string },
  secrets: readonly string[],
  at: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': eventId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

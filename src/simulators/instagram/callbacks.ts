import { createHmac } from 'node:crypto'
import { asObject, parseJson } from '../kit/json.ts'
import type { WebhookFormat } from '../kit/outbox.ts'
import { appScopedId, appSecret, type Instagram } from './state/state.ts'

const paths = {
  deauthorize: '/hooks/instagram/deauthorize',
  delete_data: '/hooks/instagram/delete-data',
} as const

/** "458: the app was removed" */
const appRemoved = 458

/** A form with one field that carries its own signature. */
export const webhookFormat: WebhookFormat = {
  headers: () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
  isAccepted: ({ event }, status, answer) =>
    status === 200 && (event !== 'delete_data' || isReceipt(parseJson(answer))),
}

/** `{"url": "<status page>", "confirmation_code": "<alphanumeric>"}` */
function isReceipt(answer: unknown): boolean {
  const { url, confirmation_code: code } = asObject(answer) ?? {}
  return typeof url === 'string' && URL.canParse(url) && typeof code === 'string' && /^[a-z\d]+$/i.test(code)
}

function enqueue(instagram: Instagram, event: keyof typeof paths, username: string): void {
  const payload = {
    user_id: appScopedId(username),
    algorithm: 'HMAC-SHA256',
    issued_at: Math.floor(instagram.clock.now() / 1000),
  }
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
  const signature = createHmac('sha256', appSecret).update(encoded).digest('base64url')
  const body = new URLSearchParams({ signed_request: `${signature}.${encoded}` }).toString()
  instagram.outbox.add({ platform: 'instagram', event, account: username, path: paths[event], body })
}

/** The creator removes the app under "Apps and websites": every token ends, and the app gets a callback. */
export function removeApp(instagram: Instagram, username: string): void {
  instagram.store.transaction(() => {
    for (const token of instagram.tokens.all())
      if (token.username === username) instagram.tokens.put(token.token, { ...token, ended: appRemoved })
    enqueue(instagram, 'deauthorize', username)
  })
}

export const requestDeletion = (instagram: Instagram, username: string): void =>
  enqueue(instagram, 'delete_data', username)

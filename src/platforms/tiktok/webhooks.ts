import { z } from 'zod'
import { type Hook, type HookFacts, IGNORED, hmacSha256, refused, sameBytes } from '../kit/webhooks.ts'
import { parseJson } from '../kit/http.ts'
import type { TikTokConfig } from './api/config.ts'

export const HOOKS = [{ name: 'events', called: 'Webhook callback URL' }] as const satisfies HookFacts[]

/** Our figure: the documentation names no tolerance. */
const TOLERANCE_S = 300

/** Ids and names are visible ASCII; PostgreSQL refuses NUL in a text. */
const Id = z.string().regex(/^[\x21-\x7e]{1,200}$/)

/** "Webhooks": the event's own part is a text that contains JSON. `create_time` is in seconds. */
const Event = z.object({
  client_key: z.string(),
  event: Id,
  create_time: z.int().min(0).max(99_999_999_999),
  user_openid: Id,
  content: z.string().optional(),
})
const PostContent = z.object({
  publish_id: Id,
  post_id: z.union([z.string(), z.number()]).optional(),
})

/** "Webhooks": one address for all events of the app, delivered at least once and in no promised order. */
export const events =
  (config: Pick<TikTokConfig, 'clientKey' | 'clientSecret'>): Hook =>
  ({ header, body, now }) => {
    const signed = readSignature(header('tiktok-signature'))
    if (signed === null) return refused('signature')
    if (!sameBytes(hmacSha256(config.clientSecret, `${signed.at}.`, body), signed.signature))
      return refused('signature')
    if (Math.abs(now / 1000 - Number(signed.at)) > TOLERANCE_S) return refused('stale')
    const event = Event.safeParse(parseJson(body.toString('utf8'), []))
    if (!event.success || event.data.client_key !== config.clientKey) return IGNORED
    return toNotice(event.data)
  }

/** `t=<seconds>,s=<hex>`; the seconds stay a text, because they are signed. */
function readSignature(header: string | null): { at: string; signature: Buffer } | null {
  const parts = new Map((header ?? '').split(',').map((part) => splitOnce(part.trim())))
  const at = parts.get('t') ?? ''
  const hex = parts.get('s') ?? ''
  if (!/^\d{1,12}$/.test(at) || !/^[0-9a-f]{64}$/i.test(hex)) return null
  return { at, signature: Buffer.from(hex, 'hex') }
}

function splitOnce(part: string): [string, string] {
  const mark = part.indexOf('=')
  return mark < 0 ? [part, ''] : [part.slice(0, mark), part.slice(mark + 1)]
}

function toNotice({ event, user_openid: externalId, create_time, content }: z.infer<typeof Event>) {
  if (event === 'authorization.removed') {
    return {
      kind: 'access_removed',
      key: JSON.stringify([event, externalId, create_time]),
      externalId,
      // Times are whole seconds: an account linked within that second may be the removed one.
      at: create_time * 1000 + 999,
    } as const
  }
  // `complete`, `failed`, `publicly_available`, `no_longer_publicaly_available`, and events that TikTok adds.
  if (!event.startsWith('post.publish.')) return IGNORED
  const post = PostContent.safeParse(parseJson(content ?? '', ['post_id']))
  if (!post.success) return IGNORED
  const { publish_id: publishId, post_id: postId = '' } = post.data
  return {
    kind: 'post_moved',
    key: JSON.stringify([event, externalId, publishId, String(postId), create_time]),
    externalId,
    session: { publishId },
  } as const
}

import { createHmac } from 'node:crypto'
import type { Courier } from '../kit/outbox.ts'
import { isIdTold, settle } from './processing.ts'
import { clientKey, clientSecret, openId, type TikTok, type UploadTask } from './state.ts'
import { closeGrant } from './tokens.ts'

/** Registered in the portal: one address for all events. */
const path = '/hooks/tiktok/events'

/** `TikTok-Signature: t=<unix>,s=<hex>`, over the time, a dot and the body as it is sent. */
export const courier: Courier = {
  headers: ({ body }, now) => {
    const t = Math.floor(now / 1000)
    const s = createHmac('sha256', clientSecret).update(`${t}.${body}`).digest('hex')
    return { 'content-type': 'application/json', 'tiktok-signature': `t=${t},s=${s}` }
  },
  // "Answer 200 at once"
  isTaken: (_parcel, status) => status === 200,
}

function tell(tiktok: TikTok, username: string, event: string, content: Record<string, unknown>): void {
  tiktok.outbox.add({
    platform: 'tiktok',
    event,
    account: username,
    path,
    body: JSON.stringify({
      client_key: clientKey,
      event,
      create_time: Math.floor(tiktok.clock.now() / 1000),
      user_openid: openId(username),
      // JSON within a text.
      content: JSON.stringify(content),
    }),
  })
}

/** 1: the creator removed the app. 5: the app gave its access back. */
export const authorizationRemoved = (tiktok: TikTok, username: string, reason: 1 | 5): void =>
  tell(tiktok, username, 'authorization.removed', { reason })

/** The creator removes the app in TikTok's own settings: every token is dead, and the app hears of it. */
export function removeApp(tiktok: TikTok, username: string): void {
  tiktok.store.together(() => {
    for (const grant of tiktok.grants.all()) if (grant.username === username) closeGrant(tiktok, grant)
    authorizationRemoved(tiktok, username, 1)
  })
}

/** What was told of a post already. */
export interface Told {
  outcome: boolean
  draft: boolean
  public: boolean
  gone: boolean
}

/** Tells what has become of posts since the last look. */
export function announcePosts(tiktok: TikTok): void {
  settle(tiktok)
  for (const task of tiktok.tasks.all()) tiktok.store.together(() => announce(tiktok, task))
}

function announce(tiktok: TikTok, task: UploadTask): void {
  const { publish_id, username, progress } = task
  if (progress.state !== 'failed' && progress.state !== 'complete' && progress.state !== 'inbox') return
  const told = tiktok.told.get(publish_id) ?? { outcome: false, draft: false, public: false, gone: false }
  const note = (change: Partial<Told>, event: string, content: Record<string, unknown> = {}): void => {
    tiktok.told.put(publish_id, { ...(tiktok.told.get(publish_id) ?? told), ...change })
    // For direct posts real captures say DIRECT_PUBLISH.
    tell(tiktok, username, `post.publish.${event}`, {
      publish_id,
      ...content,
      publish_type: task.to === 'inbox' ? 'INBOX_SHARE' : 'DIRECT_PUBLISH',
    })
  }
  if (progress.state === 'inbox') {
    if (!told.draft) note({ draft: true }, 'inbox_delivered')
    return
  }
  if (progress.state === 'failed') {
    if (!told.outcome) note({ outcome: true }, 'failed', { reason: progress.fail_reason })
    return
  }
  if (!told.outcome) note({ outcome: true }, 'complete')
  const creator = tiktok.creators.get(username)
  if (creator === undefined) return
  const { post_id } = progress
  if (!told.public) {
    if (isIdTold(tiktok, creator, task.post_info, progress.live_at))
      note({ public: true }, 'publicly_available', { post_id })
  } else if (!told.gone && creator.private) {
    // TikTok's own spelling.
    note({ gone: true }, 'no_longer_publicaly_available', { post_id })
  }
}

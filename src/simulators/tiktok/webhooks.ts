import { createHmac } from 'node:crypto'
import type { WebhookFormat } from '../kit/outbox.ts'
import { isPostIdPublic, settle } from './state/processing.ts'
import {
  clientKey,
  clientSecret,
  openId,
  type AnnouncedEvents,
  type TikTok,
  type UploadTask,
} from './state/state.ts'
import { closeGrant } from './state/tokens.ts'

const path = '/hooks/tiktok/events'

/** `TikTok-Signature: t=<unix>,s=<hex>`, over the time, a dot and the body as it is sent. */
export const webhookFormat: WebhookFormat = {
  headers: ({ body }, now) => {
    const t = Math.floor(now / 1000)
    const s = createHmac('sha256', clientSecret).update(`${t}.${body}`).digest('hex')
    return { 'content-type': 'application/json', 'tiktok-signature': `t=${t},s=${s}` }
  },
  // "Answer 200 at once"
  isAccepted: (_webhook, status) => status === 200,
}

function enqueue(tiktok: TikTok, username: string, event: string, content: Record<string, unknown>): void {
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
      content: JSON.stringify(content),
    }),
  })
}

/** 1: the creator removed the app. 5: the app revoked its access. */
export const authorizationRemoved = (tiktok: TikTok, username: string, reason: 1 | 5): void =>
  enqueue(tiktok, username, 'authorization.removed', { reason })

/** The creator removes the app in TikTok's own settings: every token ends, and the app gets an event. */
export function removeApp(tiktok: TikTok, username: string): void {
  tiktok.store.transaction(() => {
    for (const grant of tiktok.grants.all()) if (grant.username === username) closeGrant(tiktok, grant)
    authorizationRemoved(tiktok, username, 1)
  })
}

export function announcePosts(tiktok: TikTok): void {
  settle(tiktok)
  for (const task of tiktok.tasks.all()) tiktok.store.transaction(() => announce(tiktok, task))
}

function announce(tiktok: TikTok, task: UploadTask): void {
  const { publish_id, username, progress } = task
  if (progress.state !== 'failed' && progress.state !== 'complete' && progress.state !== 'inbox') return
  const done = tiktok.announced.get(publish_id) ?? {
    outcome: false,
    draft: false,
    public: false,
    gone: false,
  }
  const send = (
    change: Partial<AnnouncedEvents>,
    event: string,
    content: Record<string, unknown> = {},
  ): void => {
    tiktok.announced.put(publish_id, { ...(tiktok.announced.get(publish_id) ?? done), ...change })
    // Real captures say DIRECT_PUBLISH for direct posts.
    enqueue(tiktok, username, `post.publish.${event}`, {
      publish_id,
      ...content,
      publish_type: task.to === 'inbox' ? 'INBOX_SHARE' : 'DIRECT_PUBLISH',
    })
  }
  if (progress.state === 'inbox') {
    if (!done.draft) send({ draft: true }, 'inbox_delivered')
    return
  }
  if (progress.state === 'failed') {
    if (!done.outcome) send({ outcome: true }, 'failed', { reason: progress.fail_reason })
    return
  }
  if (!done.outcome) send({ outcome: true }, 'complete')
  const creator = tiktok.creators.get(username)
  if (creator === undefined) return
  const { post_id } = progress
  if (!done.public) {
    if (isPostIdPublic(tiktok, creator, task.post_info, progress.live_at))
      send({ public: true }, 'publicly_available', { post_id })
  } else if (!done.gone && creator.private) {
    // TikTok's own spelling.
    send({ gone: true }, 'no_longer_publicaly_available', { post_id })
  }
}

import { sql } from 'kysely'
import type { BlockedCause } from '#contract/deliveries.ts'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import { POSTS_COUNTED_MAX } from '#contract/limits.ts'
import { PLATFORM_NAMES, PlatformId } from '#contract/platforms/index.ts'
import { view } from '#domain/delivery/view.ts'
import {
  composeForAccount,
  composeForPost,
  composeForWebhook,
  concernsAccount,
  isNews,
  type NotificationContent,
  toSubject,
  type TroubledDelivery,
  findTrouble,
} from '#domain/notifications/compose.ts'
import { mailTime } from '#domain/notifications/mail-time.ts'
import { ACCESS_REASONS } from '#domain/delivery/reasons.ts'
import type { Db } from '#base/db/open.ts'
import { MAIL_ATTEMPTS_MAX, MAIL_LEASE_MS, mailRetryDelayMs } from '#base/mail/try-send.ts'
import { type Bus, notifyNotifications } from '../db/bus.ts'
import { isErased } from '../deliveries/erased-account.ts'
import { stateToShow } from '../deliveries/record.ts'
import { repeatRounds } from '../lease/repeat-rounds.ts'
import {
  type AccountCheck,
  addToDigest,
  claimEvent,
  consumeCheck,
  deleteEvent,
  enqueueAccountCheck,
  nextEventAt,
  type OutboxEvent,
  type PostCheck,
  postponeEvent,
  type WebhookCheck,
} from '../outbox/outbox.ts'
import { findSwitchedOff } from '../webhooks/store.ts'
import { type DigestDeps, mailMode, sendDigest } from './digest.ts'
import {
  type About,
  ACCESS_NOTICE_MS,
  findMailClock,
  findNotifiedFacts,
  findSettings,
  replaceNotification,
  rewordNotification,
} from './store.ts'

export type NotifierDeps = DigestDeps

/** Accounts per round; the others wait for the next one. */
const ENDING_PER_ROUND = 500

/** Each change of a post wakes the notifier, and few have anything for it. */
const IDLE_APART_MS = 1000

export function startNotifier(
  deps: NotifierDeps & { readonly bus: Pick<Bus, 'onWake'> },
  { pollMs }: { readonly pollMs: number },
): { stop(): Promise<void> } {
  return repeatRounds(deps, {
    what: 'notifications',
    pollMs,
    idleApartMs: IDLE_APART_MS,
    now: deps.now,
    claim: () => processNextEvent(deps),
    nextAt: () => nextEventAt(deps.db, deps.now()),
  })
}

export async function processNextEvent(deps: NotifierDeps): Promise<number> {
  const event = await claimEvent(deps.db, { now: deps.now(), leaseMs: MAIL_LEASE_MS })
  if (event === null) return 0
  await processEvent(deps, event).catch((error: unknown) => {
    const about = { err: error, event: event.eventId, kind: event.kind }
    if (event.attempts >= MAIL_ATTEMPTS_MAX) {
      deps.log.error(about, 'a notification was dropped: it failed for a day')
      return deleteEvent(deps.db, event)
    }
    deps.log.error(about, 'a notification failed; it is tried again')
    return postponeEvent(deps.db, event, deps.now() + mailRetryDelayMs(event.attempts))
  })
  return 1
}

function processEvent(deps: NotifierDeps, event: OutboxEvent): Promise<void> {
  switch (event.kind) {
    case 'post':
      return notifyAboutPost(deps, event)
    case 'account':
      return notifyAboutAccount(deps, event)
    case 'webhook':
      return notifyAboutWebhook(deps, event)
    case 'mail':
      return sendDigest(deps, event)
  }
}

/** Notifies the user of the trouble that remains when it is checked. */
export async function notifyAboutPost(deps: NotifierDeps, check: PostCheck): Promise<void> {
  const { userId, postId } = check
  await deps.db.transaction().execute(async (trx) => {
    if (!(await consumeCheck(trx, check, deps.now()))) return
    const post = await readPost(trx, postId)
    const content = composeForPost(post.troubled, post.accounts)
    if (content === null) return
    const about = { post_id: postId }
    await notifyUser(trx, deps, { userId, about, subject: toSubject(post.text), content })
  })
}

type PostNow = {
  readonly text: string
  readonly accounts: number
  readonly troubled: readonly TroubledDelivery[]
}

/** A deleted post has no trouble. */
async function readPost(db: Db, postId: number): Promise<PostNow> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .innerJoin('accounts', 'accounts.account_id', 'deliveries.account_id')
    .selectAll('deliveries')
    .select(['posts.text as post_text', 'accounts.username', 'accounts.display_name'])
    .where('deliveries.post_id', '=', postId)
    .where('posts.deleted_at', 'is', null)
    .orderBy('deliveries.delivery_id')
    .execute()
  const troubled = rows.flatMap((row): TroubledDelivery[] => {
    const state = stateToShow(row)
    if (state === null) return []
    const trouble = findTrouble(state)
    const { reason } = view(state)
    if (trouble === null || concernsAccount(trouble) || reason === null) return []
    return [
      {
        deliveryId: row.delivery_id,
        trouble,
        account: accountName(row),
        platform: PLATFORM_NAMES[PlatformId.parse(row.platform)],
        reason,
        attempt: state.attempt,
        goesOutAt: row.goes_out_at?.getTime() ?? null,
      },
    ]
  })
  return { text: rows[0]?.post_text ?? '', accounts: rows.length, troubled }
}

/** Notifies the user if the account still has lost, or is about to lose, its access, or still holds posts for a limit. */
async function notifyAboutAccount(deps: NotifierDeps, check: AccountCheck): Promise<void> {
  const { userId, accountId } = check
  await deps.db.transaction().execute(async (trx) => {
    if (!(await consumeCheck(trx, check, deps.now()))) return
    const account = await findAccount(trx, accountId)
    if (!account || isErased(account)) return
    const subject = accountName(account)
    for (const content of await composeAccountContents(trx, { account, userId, now: deps.now() })) {
      const about = { account_id: accountId, kind: content.kind }
      await notifyUser(trx, deps, { userId, about, subject, content })
    }
  })
}

async function notifyAboutWebhook(deps: NotifierDeps, check: WebhookCheck): Promise<void> {
  const { userId, webhookId } = check
  await deps.db.transaction().execute(async (trx) => {
    if (!(await consumeCheck(trx, check, deps.now()))) return
    const webhook = await findSwitchedOff(trx, webhookId)
    if (webhook === null) return
    const content = composeForWebhook(webhook.offAt)
    const about = { webhook_id: webhookId }
    await notifyUser(trx, deps, { userId, about, subject: toSubject(webhook.address), content })
  })
}

async function findAccount(db: Db, accountId: number) {
  const account = await db
    .selectFrom('accounts')
    .select(['account_id', 'external_id', 'platform', 'username', 'display_name'])
    .select(['relink_reason', 'linked_at', 'access_ends_at', 'unlinked_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return account && { ...account, platform: PlatformId.parse(account.platform) }
}

type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>

async function composeAccountContents(
  trx: Db,
  { account, userId, now }: { readonly account: Account; readonly userId: number; readonly now: number },
): Promise<NotificationContent[]> {
  const { account_id: accountId, linked_at: linkedAt, access_ends_at: endsAt } = account
  const name = accountOnPlatform(account)
  if (account.relink_reason !== null || account.unlinked_at !== null) {
    const waiting = await countBlocked(trx, accountId, 'account')
    // An account that its user unlinked is no news by itself.
    if (account.relink_reason === null && waiting === 0) return []
    const reason = account.relink_reason ?? ACCESS_REASONS.unlinked.message
    return [composeForAccount(name, { kind: 'link_again', reason, linkedAt, waiting })]
  }
  const deliveries = await listLimited(trx, accountId)
  const waiting = deliveries.length === 0 ? 0 : await countBlocked(trx, accountId, 'limit')
  const { timeZone } = await findMailClock(trx, userId)
  return [
    ...(endsAt !== null && endsSoon(endsAt, now)
      ? [composeForAccount(name, { kind: 'access_ending', endsAt, timeZone })]
      : []),
    ...(waiting > 0 ? [composeForAccount(name, { kind: 'limit', deliveries, waiting })] : []),
  ]
}

/** An access that has ended is to be linked again, which is known once the platform refuses it. */
const endsSoon = (endsAt: Date, now: number): boolean => {
  const leftMs = endsAt.getTime() - now
  return leftMs > 0 && leftMs <= ACCESS_NOTICE_MS
}

const selectBlocked = (db: Db, accountId: number) =>
  db
    .selectFrom('deliveries')
    .innerJoin('posts', 'posts.post_id', 'deliveries.post_id')
    .where('deliveries.account_id', '=', accountId)
    .where('deliveries.state', '=', 'blocked')
    .where('posts.deleted_at', 'is', null)

async function countBlocked(db: Db, accountId: number, cause: BlockedCause): Promise<number> {
  const blocked = selectBlocked(db, accountId)
    .select('deliveries.delivery_id')
    .where('deliveries.cause', '=', cause)
    .limit(POSTS_COUNTED_MAX)
  const { posts } = await db
    .selectFrom(blocked.as('blocked'))
    .select(({ fn }) => fn.countAll<number>().as('posts'))
    .executeTakeFirstOrThrow()
  return posts
}

/** Enough to tell a limit that lasts from a new one. */
const LIMITED_READ_MAX = 50

async function listLimited(db: Db, accountId: number) {
  const rows = await selectBlocked(db, accountId)
    .selectAll('deliveries')
    .where('deliveries.cause', '=', 'limit')
    .orderBy('deliveries.goes_out_at', 'desc')
    .orderBy('deliveries.delivery_id', 'desc')
    .limit(LIMITED_READ_MAX)
    .execute()
  return rows.flatMap((row) => {
    const state = stateToShow(row)
    const reason = state && view(state).reason
    return reason
      ? [{ deliveryId: row.delivery_id, reason, goesOutAt: row.goes_out_at?.getTime() ?? null }]
      : []
  })
}

/** Runs in a transaction. Follows the user's settings and skips facts the user was notified of. */
async function notifyUser(
  trx: Db,
  deps: Pick<NotifierDeps, 'config' | 'now'>,
  notice: {
    readonly userId: number
    readonly about: About
    readonly subject: string
    readonly content: NotificationContent
  },
): Promise<void> {
  const { userId, about, subject, content } = notice
  if (!isNews(content, await findNotifiedFacts(trx, about))) {
    if (await rewordNotification(trx, about, content)) await notifyNotifications(trx, userId)
    return
  }
  const now = deps.now()
  const { kinds, digest, quiet_hours: quiet } = await findSettings(trx, userId)
  const wanted = kinds[content.kind]
  let mailId: string | null = null
  if (wanted.mail && digest !== 'never' && mailMode(deps.config) !== 'off') {
    const clock = await findMailClock(trx, userId)
    mailId = await addToDigest(trx, { userId, at: mailTime(now, { digest, quiet, ...clock }), now })
  }
  if (mailId === null && !wanted.in_app) return
  await replaceNotification(trx, {
    userId,
    about,
    subject,
    content,
    inApp: wanted.in_app,
    mailId,
    at: new Date(now),
  })
  if (wanted.in_app) await notifyNotifications(trx, userId)
}

export async function enqueueEndingAccess({ db, now }: Pick<NotifierDeps, 'db' | 'now'>): Promise<void> {
  const at = now()
  const ending = await db
    .selectFrom('accounts')
    .leftJoin('notifications', (join) =>
      join
        .onRef('notifications.account_id', '=', 'accounts.account_id')
        .on('notifications.kind', '=', 'access_ending')
        .on('notifications.at', '>=', sql<Date>`accounts.access_ends_at - interval '7 days'`),
    )
    .leftJoin('outbox', 'outbox.account_id', 'accounts.account_id')
    .select(['accounts.account_id', 'accounts.user_id'])
    .where('accounts.unlinked_at', 'is', null)
    .where('accounts.relink_reason', 'is', null)
    .where('accounts.access_ends_at', '>', new Date(at))
    .where('accounts.access_ends_at', '<=', new Date(at + ACCESS_NOTICE_MS))
    .where('notifications.notification_id', 'is', null)
    .where('outbox.event_id', 'is', null)
    .orderBy('accounts.access_ends_at')
    .limit(ENDING_PER_ROUND)
    .execute()
  for (const { account_id: accountId, user_id: userId } of ending)
    await enqueueAccountCheck(db, { userId, accountId, now: at })
}

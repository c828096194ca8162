import { sql } from 'kysely'
import {
  Digest,
  NOTIFICATION_KINDS,
  type Notification,
  type NotificationKind,
  NotificationSettings,
} from '#contract/notifications.ts'
import { NOTIFICATIONS_PER_PAGE, UNREAD_COUNTED_MAX } from '#contract/limits.ts'
import type { NotificationContent } from '#domain/notifications/compose.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'

/** Users are notified this long before an account's access ends. */
export const ACCESS_NOTICE_MS = 7 * 86_400_000

/** The notifications listed in the app: not those only mailed, nor those about deleted posts or trouble that is over. */
const shownTo = (db: Db, userId: number) =>
  db
    .selectFrom('notifications as n')
    .leftJoin('posts', 'posts.post_id', 'n.post_id')
    .where('n.user_id', '=', userId)
    .where('n.in_app', '=', true)
    .where('posts.deleted_at', 'is', null)
    .where(STILL_TRUE)

/** Concerns a notification `n`. The database asks for each by index, and never joins all deliveries. */
const STILL_TRUE = sql<boolean>`case when n.post_id is not null then exists (select from deliveries d where d.post_id = n.post_id
    and (d.state = 'unconfirmed' or (d.state = 'failed' and d.settled_at is null)
      or (d.state = 'blocked' and d.cause in ('missed', 'restored'))) offset 0)
  when n.webhook_id is not null then exists (select from webhooks w where w.webhook_id = n.webhook_id and w.off_by = 'failures')
  when n.kind = 'access_ending' then exists (select from accounts a where a.account_id = n.account_id and a.unlinked_at is null
    and a.access_ends_at <= n.at + make_interval(secs => ${sql.lit(ACCESS_NOTICE_MS / 1000)}))
  else exists (select from accounts a where a.account_id = n.account_id and a.relink_reason is not null)
    or exists (select from deliveries d where d.account_id = n.account_id
      and d.state = 'blocked' and d.cause in ('account', 'limit')) end`

const COLUMNS = [
  'n.notification_id',
  'n.kind',
  'n.at',
  'n.subject',
  'n.title',
  'n.message',
  'n.post_id',
  'n.account_id',
  'n.webhook_id',
  'n.read_at',
] as const

type Row = {
  readonly notification_id: number
  readonly kind: string
  readonly at: Date
  readonly subject: string
  readonly title: string
  readonly message: string
  readonly post_id: number | null
  readonly account_id: number | null
  readonly webhook_id: number | null
  readonly read_at: Date | null
}

const toNotification = (row: Row): Notification => ({
  notification_id: row.notification_id as Notification['notification_id'], // ids come out of the database unbranded
  kind: row.kind as NotificationKind, // the column's own check allows no other
  at: row.at.toISOString(),
  subject: row.subject,
  title: row.title,
  message: row.message,
  post_id: row.post_id as Notification['post_id'],
  account_id: row.account_id as Notification['account_id'],
  webhook_id: row.webhook_id as Notification['webhook_id'],
  read: row.read_at !== null,
})

type Page = { readonly items: Notification[]; readonly next_cursor: string | null }

/** The latest first; `cursor`: the id of the previous page's last one. */
export async function listNotifications(db: Db, userId: number, cursor: string | undefined): Promise<Page> {
  let query = shownTo(db, userId).select(COLUMNS)
  if (cursor !== undefined) query = query.where('n.notification_id', '<', Number(cursor))
  const rows = await query
    .orderBy('n.notification_id', 'desc')
    .limit(NOTIFICATIONS_PER_PAGE + 1)
    .execute()
  const shown = rows.slice(0, NOTIFICATIONS_PER_PAGE)
  const last = shown.at(-1)
  return {
    items: shown.map(toNotification),
    next_cursor: rows.length > shown.length && last ? String(last.notification_id) : null,
  }
}

export async function findUnread(
  db: Db,
  userId: number,
): Promise<{ readonly unread: number; readonly latest: Notification | null }> {
  const rows = await shownTo(db, userId)
    .where('n.read_at', 'is', null)
    .select(COLUMNS)
    .orderBy('n.notification_id', 'desc')
    .limit(UNREAD_COUNTED_MAX)
    .execute()
  const [latest] = rows
  return { unread: rows.length, latest: latest ? toNotification(latest) : null }
}

/** @returns true if any of it was unread */
export async function markAsRead(
  db: Db,
  input: { readonly userId: number; readonly id: number; readonly andEarlier: boolean; readonly now: number },
): Promise<boolean> {
  const rows = await db
    .updateTable('notifications')
    .set({ read_at: new Date(input.now) })
    .where('user_id', '=', input.userId)
    .where('notification_id', input.andEarlier ? '<=' : '=', input.id)
    .where('in_app', '=', true)
    .where('read_at', 'is', null)
    .returning('notification_id')
    .execute()
  return rows.length > 0
}

/** A post or a webhook has one notification; an account has one of each kind. */
export type About =
  | { readonly post_id: number }
  | { readonly webhook_id: number }
  | { readonly account_id: number; readonly kind: NotificationKind }

/** The facts of the latest notification about it; none without a notification. */
export async function findNotifiedFacts(db: Db, about: About): Promise<string[]> {
  const row = await db
    .selectFrom('notifications')
    .select('facts')
    .where((one) => one.and(about))
    .executeTakeFirst()
  return row?.facts.split(' ') ?? []
}

/** Changes the words of what the user knows, without making it unread. @returns false: they are the same */
export async function rewordNotification(
  trx: Db,
  about: About,
  { title, message, facts }: NotificationContent,
): Promise<boolean> {
  const words = { title, message, facts: facts.join(' ') }
  const rows = await trx
    .updateTable('notifications')
    .set(words)
    .where((one) => one.and(about))
    .where((one) => one.not(one.and(words)))
    .returning('notification_id')
    .execute()
  return rows.length > 0
}

/** Runs in the transaction that notifies. The new row is the user's latest and unread. An account that must be linked again has no other trouble. */
export async function replaceNotification(
  trx: Db,
  input: {
    readonly userId: number
    readonly about: About
    readonly subject: string
    readonly content: NotificationContent
    readonly inApp: boolean
    readonly mailId: string | null
    readonly at: Date
  },
): Promise<void> {
  const { kind, title, message, facts } = input.content
  const replaced =
    'account_id' in input.about && kind === 'link_again'
      ? { account_id: input.about.account_id }
      : input.about
  await trx
    .deleteFrom('notifications')
    .where((one) => one.and(replaced))
    .execute()
  await trx
    .insertInto('notifications')
    .values({
      user_id: input.userId,
      ...input.about,
      kind,
      subject: input.subject,
      title,
      message,
      facts: facts.join(' '),
      in_app: input.inApp,
      mail_id: input.mailId,
      at: input.at,
    })
    .execute()
}

/** The mail's notifications that are unread and still true, oldest first. */
export async function listForDigest(db: Db, mailId: string): Promise<Notification[]> {
  const rows = await db
    .selectFrom('notifications as n')
    .leftJoin('posts', 'posts.post_id', 'n.post_id')
    .where('n.mail_id', '=', mailId)
    .where('n.read_at', 'is', null)
    .where('posts.deleted_at', 'is', null)
    .where(STILL_TRUE)
    .select(COLUMNS)
    .orderBy('n.notification_id')
    .execute()
  return rows.map(toNotification)
}

export async function deleteNotificationsAbout(trx: Db, accountId: number): Promise<void> {
  await trx
    .deleteFrom('notifications')
    .where((one) =>
      one.or([
        one('account_id', '=', accountId),
        one('post_id', 'in', (posts) =>
          posts.selectFrom('deliveries').select('post_id').where('account_id', '=', accountId),
        ),
      ]),
    )
    .execute()
}

const KEPT_MS = 90 * 86_400_000

export async function deleteOldNotifications(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('notifications')
    .where('at', '<', new Date(now - KEPT_MS))
    .execute()
}

type KindSettings = NotificationSettings['kinds']

/** Settings that were never changed have their defaults. */
export async function findSettings(db: Db, userId: number): Promise<NotificationSettings> {
  const row = await db
    .selectFrom('notification_settings')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return {
    kinds: kindsWithout(row?.in_app_off ?? [], row?.mail_off ?? []),
    digest: Digest.parse(row?.digest ?? 'at_once'),
    quiet_hours: row?.quiet_from && row.quiet_until ? { from: row.quiet_from, until: row.quiet_until } : null,
  }
}

export async function saveSettings(db: Db, userId: number, settings: NotificationSettings): Promise<void> {
  const off = (way: 'in_app' | 'mail') => NOTIFICATION_KINDS.filter((kind) => !settings.kinds[kind][way])
  const columns = {
    in_app_off: off('in_app'),
    mail_off: off('mail'),
    digest: settings.digest,
    quiet_from: settings.quiet_hours?.from ?? null,
    quiet_until: settings.quiet_hours?.until ?? null,
  }
  await db
    .insertInto('notification_settings')
    .values({ user_id: userId, ...columns })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute()
}

function kindsWithout(inAppOff: readonly string[], mailOff: readonly string[]): KindSettings {
  const of = (kind: NotificationKind) => ({
    in_app: !inAppOff.includes(kind),
    mail: !mailOff.includes(kind),
  })
  return NotificationSettings.shape.kinds.parse(
    Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, of(kind)])),
  )
}

/** A deleted user has no settings and gets no mails. */
export async function turnOffMails(db: Db, userId: number): Promise<void> {
  await db
    .insertInto('notification_settings')
    .columns(['user_id', 'in_app_off', 'mail_off', 'digest'])
    .expression(
      db
        .selectFrom('users')
        .select([
          'user_id',
          sql<string[]>`'{}'::text[]`.as('in_app_off'),
          sql<string[]>`'{}'::text[]`.as('mail_off'),
          sql<string>`'never'`.as('digest'),
        ])
        .where('user_id', '=', userId)
        .forKeyShare(),
    )
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ digest: 'never' }))
    .execute()
}

/** The user's time zone and last mail decide when mails go out. */
export async function findMailClock(
  db: Db,
  userId: number,
): Promise<{ readonly timeZone: string; readonly lastMailAt: number | null }> {
  const { timezone, notified_by_mail_at: lastMailAt } = await db
    .selectFrom('users')
    .select(['timezone', 'notified_by_mail_at'])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { timeZone: knownZone(timezone), lastMailAt: lastMailAt?.getTime() ?? null }
}

export async function recordMail(db: Db, userId: number, at: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ notified_by_mail_at: new Date(at) })
    .where('user_id', '=', userId)
    .execute()
}

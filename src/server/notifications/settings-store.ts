import { sql } from 'kysely'
import {
  Digest,
  NOTIFICATION_KINDS,
  type NotificationKind,
  NotificationSettings,
} from '#contract/notifications.ts'
import type { Db } from '#base/db/open.ts'

type KindSettings = NotificationSettings['kinds']

/** Of what a user is notified, and how, the defaults where nothing was changed. */
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

/** Turns all notification mails of a user off. A deleted user has no settings, and gets none. */
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

import type { NotificationSettings, NotificationSettingsView } from '#contract/notifications.ts'
import type { User } from '#contract/users.ts'
import { isQuiet } from '#domain/notifications/mail-time.ts'
import { knownZone } from '#domain/schedule/days.ts'
import type { Db } from '#base/db/open.ts'
import { countToLinkAgain } from '../accounts/store.ts'
import { notifyNotifications } from '../db/bus.ts'
import type { Handlers } from '../http/mount.ts'
import type { Identity } from '#identity/identity.ts'
import { countUnder } from '../posts/lists.ts'
import { listScope } from '../posts/read.ts'
import type { Config } from '../runtime/config.ts'
import { findMailAddress } from '../users/mail-address.ts'
import { mailMode } from './digest.ts'
import { findSettings, findUnread, listNotifications, markAsRead, saveSettings } from './store.ts'

type Deps = {
  readonly db: Db
  readonly now: () => number
  readonly config: Pick<Config, 'smtpUrl' | 'practice'>
  readonly identity: Pick<Identity, 'publicSettings'>
}

export function notificationRoutes({
  db,
  now,
  config,
  identity,
}: Deps): Handlers<
  | 'listNotifications'
  | 'getUnread'
  | 'readNotifications'
  | 'getNotificationSettings'
  | 'setNotificationSettings'
> {
  const viewFor = async (user: User, settings: NotificationSettings): Promise<NotificationSettingsView> => ({
    ...settings,
    mail: mailMode(config),
    email: user.email,
    email_confirmed: (await findMailAddress({ db, identity }, user.user_id))?.isConfirmed ?? false,
    timezone: knownZone(user.timezone),
  })
  return {
    listNotifications: ({ user, query }) => listNotifications(db, user.user_id, query.cursor),
    getUnread: async ({ user }) => {
      const { quiet_hours: quiet } = await findSettings(db, user.user_id)
      return {
        ...(await findUnread(db, user.user_id)),
        needs_attention: await countUnder(db, listScope(user, now()), 'attention'),
        accounts_to_link: await countToLinkAgain(db, user.user_id),
        quiet: isQuiet(now(), { quiet, timeZone: knownZone(user.timezone) }),
      }
    },
    readNotifications: async ({ user, body }) => {
      const { notification_id: id, and_earlier: andEarlier } = body
      const changed = await markAsRead(db, { userId: user.user_id, id, andEarlier, now: now() })
      if (changed) await notifyNotifications(db, user.user_id)
    },
    getNotificationSettings: async ({ user }) => viewFor(user, await findSettings(db, user.user_id)),
    setNotificationSettings: async ({ user, body }) => {
      await saveSettings(db, user.user_id, body)
      return viewFor(user, body)
    },
  }
}

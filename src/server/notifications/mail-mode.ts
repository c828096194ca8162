import type { NotificationSettingsView } from '#contract/notifications.ts'
import type { Config } from '../runtime/config.ts'

/** Whether this server sends mails. Without a mail server the practice platforms show its mails, if they are on. */
export const mailMode = (config: Pick<Config, 'smtpUrl' | 'practice'>): NotificationSettingsView['mail'] => {
  if (config.smtpUrl !== null) return 'sent'
  return config.practice.on ? 'practice' : 'off'
}

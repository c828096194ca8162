import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { DB } from '#base/db/tables.ts'
import type { Encrypter } from '#base/encryption.ts'
import type { Mailer } from '#base/mail/mail.ts'
import type { Identity } from '#identity/identity.ts'
import type { Config } from '../runtime/config.ts'

export type NotifierDeps = {
  readonly db: Kysely<DB>
  readonly encrypter: Encrypter
  readonly identity: Pick<Identity, 'publicSettings'>
  readonly mail: Mailer
  readonly now: () => number
  readonly log: Logger
  readonly config: Pick<Config, 'publicUrl' | 'smtpUrl' | 'practice'>
}

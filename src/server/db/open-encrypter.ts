import { existsSync } from 'node:fs'
import path from 'node:path'
import { createEncrypter, type Encrypter } from '#base/encryption.ts'
import type { Db } from '#base/db/open.ts'
import { StartError } from '#base/start-error.ts'
import { readOrCreateSecret } from '#base/secret.ts'
import type { Config } from '../runtime/config.ts'

/** One value with another key suffices; accounts are linked anew from time to time, so the latest have the current key. */
const ACCOUNTS_LOOKED_AT = 100

/**
 * Opens the encrypter; the first start on an empty database makes its key. @throws StartError when the key is missing, or
 * did not encrypt the database
 */
export async function openEncrypter(
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
  db: Db,
): Promise<Encrypter> {
  const file = path.join(dataDir, 'secret.key')
  const encrypted = await listEncrypted(db)
  if (secretKey === null && encrypted.length > 0 && !existsSync(file)) {
    throw new StartError(
      `${file} is gone, and what the database has encrypted cannot be read without it: put it back from your backup, or set SECRET_KEY to what it said (docs/operating.md, "If the key is lost").`,
    )
  }
  const encrypter = createEncrypter(listSecrets(secretKey ?? (await readOrCreateSecret(file))))
  if (encrypted.length > 0 && !encrypted.some((one) => encrypter.hasKeyOf(one))) {
    const key = secretKey === null ? `The key in ${file}` : 'SECRET_KEY'
    const fix =
      secretKey === null
        ? 'put the right file back from your backup'
        : 'set the previous secret, alone or after the new one with a comma between'
    throw new StartError(
      `${key} is not the one that encrypted this database: ${fix} (docs/operating.md, "If the key is lost").`,
    )
  }
  return encrypter
}

async function listEncrypted(db: Db): Promise<Buffer[]> {
  const keys = await db.selectFrom('identity_keys').select('private_jwk as encrypted').execute()
  const accounts = await db
    .selectFrom('accounts')
    .select('tokens as encrypted')
    .where('unlinked_at', 'is', null)
    .orderBy('account_id', 'desc')
    .limit(ACCOUNTS_LOOKED_AT)
    .execute()
  return [...keys, ...accounts].flatMap(({ encrypted }) => (encrypted === null ? [] : [encrypted]))
}

/** The first secret encrypts; the others, separated by commas, only decrypt older data. */
export function listSecrets(secretKey: string): [string, ...string[]] {
  const [current = secretKey, ...older] = secretKey.split(',')
  return [current, ...older]
}

import { HASH_COST } from '#identity/credentials/passwords.ts'
import { CHEAP_HASHES } from '../../support/cheap-hashes.ts'

// Reelay as a user starts it, with cheaper password hashes: each test makes three.
Object.assign(HASH_COST, CHEAP_HASHES)
await import('#server/main.ts')

import { HASH_COST } from '#identity/credentials/passwords.ts'
import { CHEAP_HASHES } from '../../support/cheap-hashes.ts'

// Reelay as a user starts it, but for what a password costs: each test makes three hashes of it.
Object.assign(HASH_COST, CHEAP_HASHES)
await import('#server/main.ts')

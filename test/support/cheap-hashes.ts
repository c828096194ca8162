import type { HashCost } from '#identity/credentials/passwords.ts'

/** The cheapest cost that argon2 accepts: tests hash hundreds of passwords. */
export const CHEAP_HASHES: HashCost = { memoryCost: 1024, timeCost: 1, parallelism: 1 }

import type { HashCost } from '#identity/credentials/passwords.ts'

/** The least that argon2 takes seriously: tests hash hundreds of passwords. */
export const CHEAP_HASHES: HashCost = { memoryCost: 1024, timeCost: 1, parallelism: 1 }

import { hash, parseOptions, verify } from '@node-rs/argon2'

/**
 * Over three times the argon2id minimum of OWASP (19 MiB, 2 rounds). More rounds, not more memory: concurrent
 * hashes add up their memory.
 */
export const HASH_COST: HashCost = { memoryCost: 32_768, timeCost: 4, parallelism: 1 }

/** argon2id: KiB of memory, rounds, lanes. */
export type HashCost = {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
}

/** Leaves one of the four libuv threads for file access. */
export const MAX_CONCURRENT_HASHES = 3

/** argon2id in PHC form. Runs on the libuv thread pool: bound the concurrency with `#base/semaphore.ts`. */
export const hashPassword = (password: string, cost: HashCost): Promise<string> => hash(password, cost)

/**
 * Compares a password with its hash. Without a hash (unknown user) it does the same work, so that timing does
 * not reveal known addresses.
 */
export async function passwordMatches(
  hashed: string | null,
  password: string,
  cost: HashCost,
): Promise<boolean> {
  if (hashed !== null) return verify(hashed, password)
  await hashPassword(password, cost)
  return false
}

export function isOutdated(hashed: string, cost: HashCost): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(hashed)
  return memoryCost !== cost.memoryCost || timeCost !== cost.timeCost || parallelism !== cost.parallelism
}

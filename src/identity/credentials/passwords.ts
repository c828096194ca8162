import { hash, parseOptions, verify } from '@node-rs/argon2'

/**
 * More than three times the work that OWASP asks of argon2id at least (19 MiB, twice over): more for who tries passwords out of a stolen database, and
 * still a fraction of a second on a small board. Beside so much work the rest of a login weighs little. More rounds rather than more memory, because as
 * many as may run at once need theirs together. A hash of other parameters is made anew when its owner signs in.
 */
export const HASH_COST: HashCost = { memoryCost: 32_768, timeCost: 4, parallelism: 1 }

/** Of argon2id: KiB of memory, rounds, lanes. */
export type HashCost = {
  readonly memoryCost: number
  readonly timeCost: number
  readonly parallelism: number
}

/** Three of the four threads that Node shares with files. */
export const HASHES_AT_ONCE = 3

/** Argon2id in PHC form. Runs on the thread pool, which files share: bound how many run at once (`#base/semaphore.ts`). */
export const hashPassword = (password: string, cost: HashCost): Promise<string> => hash(password, cost)

/**
 * Whether the password is the one hashed. Without a hash (no such user) it does the same work and says no, so that the
 * time taken does not tell which addresses are known.
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

/** Whether a stored hash was made at another cost than today's. */
export function isOutdated(hashed: string, cost: HashCost): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(hashed)
  return memoryCost !== cost.memoryCost || timeCost !== cost.timeCost || parallelism !== cost.parallelism
}

import { hash, parseOptions, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id; the library's own default is the same and may change. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id in PHC form. Runs on the thread pool, which files share: bound how many run at once (`gate.ts`). */
export const hashPassword = (password: string): Promise<string> => hash(password, PARAMETERS)

/**
 * Whether the password is the one hashed. Without a hash (no such user) it does the same work and says no, so that the
 * time taken does not tell which addresses are known.
 */
export async function passwordMatches(hashed: string | null, password: string): Promise<boolean> {
  if (hashed !== null) return verify(hashed, password)
  await hashPassword(password)
  return false
}

/** Whether a stored hash was made with other parameters than today's. */
export function isOutdated(hashed: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(hashed)
  return (
    memoryCost !== PARAMETERS.memoryCost ||
    timeCost !== PARAMETERS.timeCost ||
    parallelism !== PARAMETERS.parallelism
  )
}

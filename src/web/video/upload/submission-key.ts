import { z } from 'zod'
import { jsonOf } from '#web/lib/json-of.ts'
import { useSessionState, useUid } from '#web/session/browser-store.ts'
import { fnv1a, SEEDS } from '#web/lib/fnv1a.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { readItem, removeItem, storedKeys, writeItem } from '#web/lib/storage.ts'
import { SENT_PREFIX } from '#web/lib/storage-keys.ts'

/** A request whose acceptance is not known yet. `contents` is a digest: it identifies what was sent without revealing it. */
export type Submission = z.infer<typeof Submission>
const Submission = z.object({ contents: z.string(), key: z.string(), at: z.number() })
const StoredSubmissions = z.array(Submission)

/** More than anyone tries before one is accepted. */
const STORED_MAX = 20
/** After a month, the same contents mean another post. */
const VALID_MS = 30 * 86_400_000

/**
 * Idempotency key: the same contents sent again after a lost answer get the same key, so the server makes one post.
 * The file's modification time does not count: phones change it whenever the same video is chosen.
 */
export function submissionOf(
  earlier: readonly Submission[],
  { name, size }: Pick<File, 'name' | 'size'>,
  fields: unknown,
  now: number,
): Submission {
  const contents = digest(JSON.stringify([name, size, fields]))
  const same = earlier.find((one) => one.contents === contents && isValid(one, now))
  return { contents, key: same?.key ?? randomKey(), at: now }
}

const isValid = ({ at }: Submission, now: number): boolean => at > now - VALID_MS

type Submissions = {
  /** The submission of these contents; stored until it ends. */
  readonly begin: (file: File, fields: unknown) => Submission
  /** It was accepted, or its key is unusable: the same contents get a new key. */
  readonly end: (submission: Submission) => void
}

/** The submissions of one form in all tabs of the user. They outlive a log-out, so that sending again posts once. */
export function useSubmissions(platform: string): Submissions {
  const uid = useUid()
  const [inMemory, setInMemory] = useSessionState<readonly Submission[]>(`${platform} submissions`, [])
  const without = (all: readonly Submission[], { key }: Submission) => all.filter((one) => one.key !== key)
  return {
    begin: (file, fields) => {
      // Read each time: another tab may have sent the same since.
      const stored = readSent(uid, platform)
      const submission = submissionOf([...inMemory, ...stored], file, fields, serverNow())
      const withIt = (all: readonly Submission[]) =>
        [submission, ...without(all, submission)].slice(0, STORED_MAX)
      setInMemory(withIt(inMemory))
      writeSent(uid, platform, withIt(stored))
      return submission
    },
    end: (submission) => {
      setInMemory(without(inMemory, submission))
      writeSent(uid, platform, without(readSent(uid, platform), submission))
    },
  }
}

const keyOf = (uid: string, platform: string) => `${SENT_PREFIX} ${uid} ${platform}`

const readSent = (uid: string, platform: string): Submission[] => parse(keyOf(uid, platform))
const parse = (name: string): Submission[] =>
  StoredSubmissions.safeParse(jsonOf(readItem(name) ?? '')).data ?? []

/** A full storage is no error: the page still has the keys in memory. */
function writeSent(uid: string, platform: string, all: readonly Submission[]): void {
  if (all.length > 0) writeItem(keyOf(uid, platform), JSON.stringify(all))
  else removeItem(keyOf(uid, platform))
  removeExpired(serverNow())
}

/** Of every user of this browser. */
export function removeExpired(now: number): void {
  for (const name of storedKeys())
    if (name.startsWith(`${SENT_PREFIX} `) && !parse(name).some((one) => isValid(one, now))) removeItem(name)
}

/** Not `randomUUID`, which is missing on pages without TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** On a collision the server refuses the key, and the next attempt gets another. */
const digest = (text: string): string => {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  const hashes = SEEDS.map((seed) => fnv1a(units, seed).toString(16).padStart(8, '0'))
  return hashes.join('') + text.length.toString(16)
}

import { z } from 'zod'
import { jsonOf } from '#web/lib/json-of.ts'
import { useKept, useUid } from '#web/session/browser-store.ts'
import { SENT_PREFIX } from '#web/lib/storage-keys.ts'

/** What was sent and not taken as far as anybody knows. `contents` tells it from others and does not tell what it was. */
export type Submission = z.infer<typeof Submission>
const Submission = z.object({ contents: z.string(), key: z.string(), at: z.number() })
const Submissions = z.array(Submission)

/** More than anybody tries of one form before one is taken. */
const KEPT_MAX = 20
/** Who sends the same a month later means another post. */
const KEPT_MS = 30 * 86_400_000

/**
 * One key per submission: the same contents sent again after a lost answer carry the same key, so that the server makes
 * one post of them, even when others were tried or the page was loaded again between; changed contents are another
 * submission. A file's time is not part of it: a phone gives a new one whenever the same video is chosen.
 */
export function submissionOf(
  earlier: readonly Submission[],
  { name, size }: Pick<File, 'name' | 'size'>,
  fields: unknown,
  now: number,
): Submission {
  const contents = digest(JSON.stringify([name, size, fields]))
  const same = earlier.find((one) => one.contents === contents && isFresh(one, now))
  return { contents, key: same?.key ?? randomKey(), at: now }
}

const isFresh = ({ at }: Submission, now: number): boolean => at > now - KEPT_MS

type Open = {
  /** The submission that sending these now is; kept until it is settled. */
  readonly open: (file: File, fields: unknown) => Submission
  /** It was taken, or its key is of no use: sent once more it is another. */
  readonly settle: (submission: Submission) => void
}

/**
 * The submissions of one form, whichever of the user's tabs sent them. They outlive a discard and a log-out: who comes back
 * and sends the same again has not posted twice.
 */
export function useSubmissions(platform: string): Open {
  const uid = useUid()
  const [here, keepHere] = useKept<readonly Submission[]>(`${platform} submissions`, [])
  const without = (all: readonly Submission[], { key }: Submission) => all.filter((one) => one.key !== key)
  return {
    open: (file, fields) => {
      // Asked each time: another tab may have sent the same since.
      const stored = readSent(uid, platform)
      const submission = submissionOf([...here, ...stored], file, fields, Date.now())
      const withIt = (all: readonly Submission[]) =>
        [submission, ...without(all, submission)].slice(0, KEPT_MAX)
      keepHere(withIt(here))
      writeSent(uid, platform, withIt(stored))
      return submission
    },
    settle: (submission) => {
      keepHere(without(here, submission))
      writeSent(uid, platform, without(readSent(uid, platform), submission))
    },
  }
}

const nameOf = (uid: string, platform: string) => `${SENT_PREFIX} ${uid} ${platform}`

const readSent = (uid: string, platform: string): Submission[] => parse(nameOf(uid, platform))
const parse = (name: string): Submission[] =>
  Submissions.safeParse(jsonOf(localStorage.getItem(name) ?? '')).data ?? []

/** A storage that is full or switched off keeps nothing: until it is loaded again, the page still knows the keys. */
function writeSent(uid: string, platform: string, all: readonly Submission[]): void {
  try {
    if (all.length > 0) localStorage.setItem(nameOf(uid, platform), JSON.stringify(all))
    else localStorage.removeItem(nameOf(uid, platform))
    forgetOld(Date.now())
  } catch {
    // See above.
  }
}

/** Of everybody who was here: nothing lies in the browser for ever. */
export function forgetOld(now: number): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(`${SENT_PREFIX} `) && !parse(name).some((one) => isFresh(one, now)))
      localStorage.removeItem(name)
}

/** Not `randomUUID`, which a page served without TLS does not have. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/**
 * Stands for a text without keeping it: FNV-1a, twice from different beginnings. Not `crypto.subtle`, which a page served
 * without TLS does not have; should two texts ever share one, the server refuses the second's key, and it gets another.
 */
const digest = (text: string): string =>
  [0x811c9dc5, 0x01234567]
    .map((beginning) => {
      let hash = beginning
      for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
      return (hash >>> 0).toString(16).padStart(8, '0')
    })
    .join('') + text.length.toString(16)

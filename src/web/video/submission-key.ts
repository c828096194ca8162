import { z } from 'zod'
import { readDraft, writeDraft } from '#web/drafts.ts'
import { useKept, useUid } from '#web/kept.ts'

/** What was sent and not taken as far as anybody knows. */
export type Submission = z.infer<typeof Submission>
const Submission = z.object({ contents: z.string(), key: z.string() })
const Submissions = z.array(Submission)

/** More than anybody tries of one form before one is taken. */
const KEPT_MAX = 20

/**
 * One key per submission: the same contents sent again after a lost answer carry the same key, so that the server makes
 * one post of them, even when others were tried or the page was loaded again between; changed contents are another
 * submission. A file's time is not part of it: a phone gives a new one whenever the same video is chosen.
 */
export function submissionOf(
  earlier: readonly Submission[],
  { name, size }: Pick<File, 'name' | 'size'>,
  fields: unknown,
): Submission {
  const contents = JSON.stringify([name, size, fields])
  return earlier.find((one) => one.contents === contents) ?? { contents, key: randomKey() }
}

type Open = {
  /** The submission that sending these now is; kept until it is settled. */
  readonly open: (file: File, fields: unknown) => Submission
  /** It was taken, or its key is of no use: sent once more it is another. */
  readonly settle: (submission: Submission) => void
  /** The browser keeps nothing of what was typed; until the page is loaded again, the page still knows the keys. */
  readonly forgetTexts: () => void
}

/** The submissions of one form, whichever of the user's tabs sent them. */
export function useSubmissions(platform: string): Open {
  const uid = useUid()
  const name = `${platform} submissions`
  const [here, keepHere] = useKept<readonly Submission[]>(name, [])
  // Asked each time: another tab may have sent the same since.
  const stored = (): Submission[] => Submissions.safeParse(readDraft(uid, name)).data ?? []
  const store = (all: readonly Submission[]) => writeDraft(uid, name, all.length > 0 ? all : null)
  const without = (all: readonly Submission[], { key }: Submission) => all.filter((one) => one.key !== key)
  return {
    open: (file, fields) => {
      const submission = submissionOf([...here, ...stored()], file, fields)
      const withIt = (all: readonly Submission[]) =>
        [submission, ...without(all, submission)].slice(0, KEPT_MAX)
      keepHere(withIt(here))
      store(withIt(stored()))
      return submission
    },
    settle: (submission) => {
      keepHere(without(here, submission))
      store(without(stored(), submission))
    },
    forgetTexts: () => store([]),
  }
}

/** Not `randomUUID`, which a page served without TLS does not have. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

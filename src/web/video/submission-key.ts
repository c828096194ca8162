/**
 * One key per submission: the same contents sent again after a lost answer carry the same key, so that the server makes
 * one post of them; changed contents are another submission.
 */
export function makeSubmissionKeys() {
  let last: { readonly contents: string; readonly key: string } | null = null
  return {
    keyFor: (file: File, fields: unknown): string => {
      const contents = JSON.stringify([file.name, file.size, file.lastModified, fields])
      if (last?.contents !== contents) last = { contents, key: randomKey() }
      return last.key
    },
    /** It was taken: whatever comes next is meant as a new post. */
    spent: (): void => {
      last = null
    },
  }
}

/** Not `randomUUID`, which a page served without TLS does not have. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

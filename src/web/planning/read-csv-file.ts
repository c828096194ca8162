import { IMPORT_BODY_MAX_BYTES } from '#contract/limits.ts'
import { formatBytes } from '#web/lib/amounts.ts'

/** A file of posts as text, or why it cannot be read. */
export type CsvText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string }

/** Another encoding is refused, not guessed: a wrong guess would post broken captions. */
export async function readCsvFile(file: File): Promise<CsvText> {
  if (file.size > IMPORT_BODY_MAX_BYTES)
    return refused(
      `This file is ${formatBytes(file.size)}. The limit is ${formatBytes(IMPORT_BODY_MAX_BYTES)}.`,
    )
  const bytes = await file.arrayBuffer().catch(() => null)
  if (bytes === null) return refused("This file can't be read. Choose it again.")
  const text = textOf(bytes)
  return text === null || text.includes('\0')
    ? refused('This file is not UTF-8 text. In your spreadsheet, save it as “CSV UTF-8”.')
    : { kind: 'text', text }
}

const refused = (why: string): CsvText => ({ kind: 'refused', why })

function textOf(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The decoder says no by throwing.
    return null
  }
}

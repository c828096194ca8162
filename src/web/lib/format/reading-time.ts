/** Long enough for slow readers who first have to notice it: about 120 words a minute, and time to look. */
const NOTICE_MS = 5_000
const MS_PER_CHAR = 80

/** How long a text must be shown to be read. */
export const readingMs = (text: string): number => NOTICE_MS + text.trim().length * MS_PER_CHAR

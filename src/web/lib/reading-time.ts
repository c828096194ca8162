/** For slow readers: about 120 words a minute, and time to notice. */
const NOTICE_MS = 5_000
const MS_PER_CHAR = 80

export const readingMs = (text: string): number => NOTICE_MS + text.trim().length * MS_PER_CHAR

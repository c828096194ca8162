import type { DraftSummary } from '#contract/drafts.ts'

export const NO_CAPTION = 'No caption yet'

/** By which a draft is told from others: the first line of its caption, or its video. */
export const draftTitle = ({ text, video }: Pick<DraftSummary, 'text' | 'video'>): string =>
  captionLine(text) || video?.filename || NO_CAPTION

/** Empty: it has no caption. */
export const captionLine = (text: string): string => text.trim().split('\n')[0] ?? ''

import {
  IconAlertTriangle,
  IconHourglass,
  IconLinkOff,
  IconPencil,
  IconPlayerPause,
  type Icon,
} from '@tabler/icons-react'
import type { BlockedCause } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { SETTLED_LOOK, statusLook, type Look } from '#web/ui/status.tsx'
import { type Entry, isSettled, needsLook, timesOfEntry } from './calendar-entries.ts'

export const DRAFT_LOOK: Look = { word: 'Draft', tone: 'draft', Icon: IconPencil }

const HELD: Readonly<Record<BlockedCause, { word: string; Icon: Icon }>> = {
  account: { word: 'Link again', Icon: IconLinkOff },
  limit: { word: 'Limit reached', Icon: IconHourglass },
  missed: { word: 'Missed', Icon: IconAlertTriangle },
  paused: { word: 'Paused', Icon: IconPlayerPause },
  restored: { word: 'Held', Icon: IconHourglass },
}

export function lookOf(entry: Entry): Look {
  if (entry.kind === 'draft') return DRAFT_LOOK
  if (isSettled(entry)) return SETTLED_LOOK
  const { status, held_for: heldFor } = entry.of
  return heldFor === null ? statusLook(status) : { tone: 'held', ...HELD[heldFor] }
}

/** Whether the word stands beside the icon also where there is little room. */
export const isLoud = (entry: Entry): boolean => needsLook(entry) || entry.status === 'draft'

export const titleOf = ({ of }: Entry): string => (of.text.trim() === '' ? 'No caption' : of.text)

/** "TikTok, 2 accounts, Instagram" */
export const marksText = ({ of }: Entry): string =>
  of.marks
    .map(({ platform, accounts }) =>
      accounts === 1 ? PLATFORM_NAMES[platform] : `${PLATFORM_NAMES[platform]}, ${accounts} accounts`,
    )
    .join(', ')

/** A chip's accessible name. It begins with the words that the chip shows. */
export const spoken = (entry: Entry, brandTitle: string): string =>
  [
    timesOfEntry(entry),
    titleOf(entry),
    ...(isLoud(entry)
      ? [lookOf(entry).word, marksText(entry), brandTitle]
      : [brandTitle, lookOf(entry).word, marksText(entry)]),
  ]
    .filter((part) => part !== '')
    .join(', ')

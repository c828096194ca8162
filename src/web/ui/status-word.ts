import type { BlockedCause, Delivery, Settled } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { STATUS_WORDS } from '#contract/texts.ts'
import { percent } from '#web/lib/amounts.ts'

const BLOCKED_WORDS: Record<BlockedCause, string> = {
  account: 'Held: link again',
  limit: 'Held: limit reached',
  missed: 'Missed',
  paused: 'Paused',
  restored: 'Held after a restore',
}

const SETTLED_WORDS: Record<Settled['kind'], string> = {
  dismissed: 'Failed: dismissed',
  replaced: 'Failed: replaced',
}

/** The word for a delivery, with details beyond its status: "Uploading 62 %". */
export function statusWord({
  status,
  platform,
  progress,
  cause,
  settled,
  paused,
  to_inbox,
}: Delivery): string {
  const word = STATUS_WORDS[status]
  switch (status) {
    case 'preparing':
      return progress === null ? word : `${word} ${percent(progress.sent, progress.total)} %`
    case 'processing':
      return `${PLATFORM_NAMES[platform]} is processing`
    case 'blocked':
      return cause === null ? word : BLOCKED_WORDS[cause]
    case 'committing':
      return to_inbox ? 'Sending' : word
    case 'in_inbox':
      return `In the ${PLATFORM_NAMES[platform]} inbox`
    case 'failed':
      return settled === null ? word : SETTLED_WORDS[settled.kind]
    case 'scheduled':
      return paused === null ? word : BLOCKED_WORDS.paused
    case 'published':
    case 'unconfirmed':
    case 'cancelled':
      return word
  }
}

import type { BlockedCause, Delivery, DeliveryStatus } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { percent } from '#web/lib/amounts.ts'

export const STATUS_WORDS: Record<DeliveryStatus, string> = {
  scheduled: 'Scheduled',
  preparing: 'Uploading',
  committing: 'Publishing',
  processing: 'Processing',
  published: 'Published',
  in_inbox: 'In the inbox',
  failed: 'Failed',
  blocked: 'Held',
  unconfirmed: 'Unconfirmed',
  cancelled: 'Cancelled',
}

const BLOCKED_WORDS: Record<BlockedCause, string> = {
  account: 'Held: link again',
  limit: 'Held: limit reached',
  missed: 'Missed',
  paused: 'Paused',
  restored: 'Held after a restore',
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
      return settled === null ? word : `${word}: ${settled.kind}`
    case 'scheduled':
      return paused === null ? word : BLOCKED_WORDS.paused
    case 'published':
    case 'unconfirmed':
    case 'cancelled':
      return word
  }
}

import { useEffect, useState } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { DeliveryStatus } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { followDeliveries, type DeliveryUpdate, type ConnectionState } from '#web/api/live.ts'
import { applyUpdate } from './posts-cache.ts'
import { ANY_NOTIFICATIONS, ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { statusWord } from '#web/ui/status-word.ts'

/** The polling interval while the live connection is down. */
export const POSTS_POLL_MS = 15_000

/** A sentence for screen readers; `id` is its React key, so that it is read once. */
export type SpokenOutcome = { readonly id: number; readonly deliveryId: number; readonly text: string }

/** The latest of a burst; older ones have been read out. */
const OUTCOMES_MAX = 5

/** Keeps the posts on this page up to date. `outcomes`: the latest outcomes, oldest first. */
export function useLivePosts(): { link: ConnectionState; outcomes: readonly SpokenOutcome[] } {
  const [link, setLink] = useState<ConnectionState>('connecting')
  const [outcomes, setOutcomes] = useState<readonly SpokenOutcome[]>([])
  useEffect(() => {
    const controller = new AbortController()
    void followDeliveries(
      {
        onConnection: (next) => {
          setLink(next)
          // Refetch what changed while disconnected.
          if (next !== 'live') return
          void queryClient.invalidateQueries(ANY_POSTS)
        },
        onNotifications: () => void queryClient.invalidateQueries(ANY_NOTIFICATIONS),
        onUpdate: (news) => {
          applyUpdate(news)
          const { event } = news
          if (event === null || !OUTCOMES.has(event.status)) return
          const text = sentence(news)
          const { delivery_id: deliveryId } = news.delivery
          setOutcomes((before) => {
            // A second event brings the link of a published post.
            const isKnown = before.some((one) => one.deliveryId === deliveryId && one.text === text)
            if (event.status === 'published' && isKnown) return before
            return [...before, { id: event.event_id, deliveryId, text }].slice(-OUTCOMES_MAX)
          })
        },
      },
      controller.signal,
    )
    return () => controller.abort()
  }, [])
  return { link, outcomes }
}

const OUTCOMES: ReadonlySet<DeliveryStatus> = new Set([
  'published',
  'in_inbox',
  'failed',
  'blocked',
  'unconfirmed',
  'cancelled',
])

const sentence = ({ delivery }: DeliveryUpdate): string =>
  `${PLATFORM_NAMES[delivery.platform]} ${accountName(delivery)}: ${statusWord(delivery)}`

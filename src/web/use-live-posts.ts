import { useEffect, useState } from 'react'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { followDeliveries, type DeliveryNews, type LiveLink } from './live.ts'
import { takeNews } from './posts-cache.ts'
import { ANY_POSTS, queryClient } from './queries.ts'
import { statusWord } from './ui/status.tsx'

/** How often to ask while nobody tells. */
export const POLL_MS = 15_000

/** Keeps the posts on this page as they are on the server. `said`: the latest outcome, for those who listen. */
export function useLivePosts(): { link: LiveLink; said: string } {
  const [link, setLink] = useState<LiveLink>('connecting')
  const [said, setSaid] = useState('')
  useEffect(() => {
    const controller = new AbortController()
    void followDeliveries(
      {
        onLink: (next) => {
          setLink(next)
          // What changed while nobody told is in the list.
          if (next === 'live') void queryClient.invalidateQueries(ANY_POSTS)
        },
        onNews: (news) => {
          takeNews(news)
          if (isOutcome(news)) setSaid(sentence(news))
        },
      },
      controller.signal,
    )
    return () => controller.abort()
  }, [])
  return { link, said }
}

const isOutcome = ({ event, delivery: { status } }: DeliveryNews): boolean =>
  event !== null && ['published', 'failed', 'blocked', 'unconfirmed', 'cancelled'].includes(status)

const sentence = ({ delivery }: DeliveryNews): string =>
  `${PLATFORM_NAMES[delivery.platform]} @${delivery.username}: ${statusWord(delivery)}`

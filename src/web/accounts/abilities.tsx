import { Button, Skeleton, VisuallyHidden } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState, type RefCallback } from 'react'
import type { Account } from '#contract/accounts.ts'
import { type AccountNow, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { refusalOf } from '#web/api/api.ts'
import { abilitiesOf } from '#web/platforms/abilities.ts'
import { describeRemainingPosts } from '#web/platforms/kit/remaining-posts-text.ts'
import { accountOptionsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime } from '#web/lib/moments.ts'
import { Delayed } from '#web/ui/skeletons.tsx'
import classes from './accounts.module.css'

/** Longer than on the upload screen, because here they only inform. */
const STALE_MS = 5 * 60_000

type Asked = {
  /** Goes on the row: the platform is asked once the row is in view. */
  readonly ref: RefCallback<HTMLLIElement>
  /** `null`: not asked, because the account cannot post or must be linked again. */
  readonly query: UseQueryResult<AccountNow> | null
  readonly avatarUrl: string | null
}

/** Asks the platform what an account can do now, once its row is in view. */
export function useAbilities({ account_id, health, can_publish, avatar_url }: Account): Asked {
  const { ref, inViewport } = useInViewport<HTMLLIElement>()
  const [seen, setSeen] = useState(false)
  if (inViewport && !seen) setSeen(true)
  const able = health.status === 'ok' && can_publish
  const query = useQuery({ ...accountOptionsQuery(seen && able ? account_id : null), staleTime: STALE_MS })
  return { ref, query: able ? query : null, avatarUrl: query.data?.avatar_url ?? avatar_url }
}

export function Abilities({ query, zone }: { query: Asked['query']; zone: string }) {
  if (query === null) return null
  const refusal = refusalOf(query.error)
  // Earlier data stays when a refetch fails.
  if (query.data)
    return (
      <>
        <ul className={classes.abilities} aria-label="What it can do now">
          {abilitiesOf(query.data).map((ability) => (
            <li key={ability}>{ability}</li>
          ))}
        </ul>
        {refusal === null ? (
          <Remaining now={query.data} zone={zone} />
        ) : (
          <p className={classes.waits}>{refusal}</p>
        )}
      </>
    )
  if (query.status === 'error')
    return (
      <div className={classes.unknown}>
        <span>
          {refusal ??
            `Couldn't check what this account can do. ${messageOf(query.error, TEXTS.unknownError)}`}
        </span>
        <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          Try again
        </Button>
      </div>
    )
  return (
    <div className={classes.about}>
      <Delayed>
        <VisuallyHidden component="output">Checking what this account can do</VisuallyHidden>
        <Skeleton height={12} my={4} width="60%" maw={280} />
      </Delayed>
    </div>
  )
}

/** How many posts the account has left today. */
function Remaining({ now: { platform, today }, zone }: { now: AccountNow; zone: string }) {
  const remaining = describeRemainingPosts(today, PLATFORM_NAMES[platform], (at) => dayAndTime(at, zone))
  if (remaining === null) return null
  return <p className={remaining.isLimitReached ? classes.waits : classes.about}>{remaining.text}</p>
}

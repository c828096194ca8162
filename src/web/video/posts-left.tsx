import { useQuery } from '@tanstack/react-query'
import type { Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { postsLeft } from '#web/platforms/posts-today.ts'
import { accountOptionsQuery, userQuery } from '#web/queries.ts'
import { dayAndTime } from '#web/ui/moments.ts'
import { shownZone } from '#web/ui/shown-zone.ts'
import { Trouble } from '#web/ui/trouble.tsx'
import classes from './form.module.css'

/** How many posts the account has left, before one is sent that would have to wait. A hint: it stops nothing. */
export function PostsLeft({ account }: { account: Account }) {
  const zone = shownZone(useQuery(userQuery).data?.timezone)
  const { data } = useQuery(accountOptionsQuery(account.account_id))
  const left = data && postsLeft(data.today, PLATFORM_NAMES[data.platform], (at) => dayAndTime(at, zone))
  if (!left) return null
  return left.waits ? (
    <Trouble tone="attention" live={false}>
      {left.text}
    </Trouble>
  ) : (
    <p className={classes.left}>{left.text}</p>
  )
}

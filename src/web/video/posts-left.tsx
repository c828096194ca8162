import { useQuery } from '@tanstack/react-query'
import type { Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { postsLeft } from './posts-today.ts'
import { refusalOf } from '#web/client/api.ts'
import { accountOptionsQuery } from '#web/client/queries.ts'
import { dayAndTime } from '#web/lib/format/moments.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { useZone } from '#web/components/time/zone.tsx'
import classes from './form.module.css'

/**
 * How many posts the account has left, or that its platform takes none of it now, before one is sent that would have to wait. A
 * hint: it stops nothing, and interrupts nobody. `needsOptions`: without them the form says itself why it cannot go on.
 */
export function PostsLeft({ account, needsOptions }: { account: Account; needsOptions: boolean }) {
  const zone = useZone()
  const { data, error } = useQuery(accountOptionsQuery(account.account_id))
  const refusal = data || !needsOptions ? refusalOf(error) : null
  if (refusal !== null) return <Attention>{refusal}</Attention>
  const left = data && postsLeft(data.today, PLATFORM_NAMES[data.platform], (at) => dayAndTime(at, zone))
  if (!left) return null
  return left.waits ? <Attention>{left.text}</Attention> : <p className={classes.left}>{left.text}</p>
}

const Attention = ({ children }: { children: string }) => (
  <InlineAlert tone="attention" live={false}>
    {children}
  </InlineAlert>
)

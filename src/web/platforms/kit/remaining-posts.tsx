import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { refusalOf } from '#web/api/api.ts'
import { accountOptionsQuery } from '#web/api/queries.ts'
import { dayAndTime } from '#web/lib/moments.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { describeRemainingPosts } from './remaining-posts-text.ts'

/** Warns before sending that a post would wait; blocks nothing. `needsOptions`: the form itself shows why they are missing. */
export function RemainingPosts({ account, needsOptions }: { account: Account; needsOptions: boolean }) {
  const zone = useZone()
  const { data, error } = useQuery(accountOptionsQuery(account.account_id))
  const refusal = data || !needsOptions ? refusalOf(error) : null
  if (refusal !== null) return <Attention>{refusal}</Attention>
  const remaining =
    data && describeRemainingPosts(data.today, PLATFORM_NAMES[data.platform], (at) => dayAndTime(at, zone))
  if (!remaining) return null
  return remaining.isLimitReached ? (
    <Attention>{remaining.text}</Attention>
  ) : (
    <Text c="dimmed" size="xs" mt="-0.5rem">
      {remaining.text}
    </Text>
  )
}

const Attention = ({ children }: { children: string }) => (
  <InlineAlert tone="attention" live={false}>
    {children}
  </InlineAlert>
)

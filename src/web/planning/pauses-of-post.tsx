import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { PostId } from '#contract/ids.ts'
import type { PostDetail } from '#contract/posts.ts'
import { schedulesQuery } from '#web/api/planning.ts'
import { accountsQuery, brandsQuery } from '#web/api/queries.ts'
import { untilText } from '#web/lib/moments.ts'
import { ResumeButton, type Paused } from '#web/posts/resume-button.tsx'

type Pause = {
  readonly key: string
  readonly of: Paused
  readonly name: string
  readonly paused_until: string | null
}

type Props = { post: PostDetail; zone: string; onMissed: (postIds: readonly PostId[]) => void }

/** Names each pause that this post waits for, with the button that ends it. */
export const PausesOfPost = ({ post, zone, onMissed }: Props) =>
  usePauses(post).map(({ key, of, name, paused_until }) => (
    <Group key={key} justify="space-between" wrap="nowrap" gap="sm" mt="sm">
      <Text size="xs" miw={0} style={{ overflowWrap: 'anywhere' }}>
        <strong dir="auto">{name}</strong> is paused{untilText(paused_until, zone)}
      </Text>
      <ResumeButton of={of} name={name} onMissed={onMissed} />
    </Group>
  ))

function usePauses({ deliveries, schedule_id: scheduleId }: PostDetail): readonly Pause[] {
  const { data: accounts = [] } = useQuery(accountsQuery())
  const { data: brands = [] } = useQuery(brandsQuery)
  const { data: schedules = [] } = useQuery(schedulesQuery)
  const pauses = deliveries.flatMap(({ paused, account_id }): Pause[] => {
    const account = accounts.find((one) => one.account_id === account_id)
    const brand = brands.find(({ brand_id }) => brand_id === account?.brand_id)
    const schedule = schedules.find(({ schedule_id }) => schedule_id === scheduleId)
    switch (paused) {
      case null:
        return []
      case 'account': {
        if (!account) return []
        const name = accountOnPlatform(account)
        return [{ ...account, key: `account ${account_id}`, of: { accountId: account_id }, name }]
      }
      case 'brand':
        return brand
          ? [{ ...brand, key: `brand ${brand.brand_id}`, of: { brandId: brand.brand_id }, name: brand.title }]
          : []
      case 'schedule':
        return schedule
          ? [
              {
                ...schedule,
                key: `schedule ${schedule.schedule_id}`,
                of: { scheduleId: schedule.schedule_id },
              },
            ]
          : []
    }
  })
  return [...new Map(pauses.map((pause) => [pause.key, pause])).values()]
}

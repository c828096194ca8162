import { Button, Text } from '@mantine/core'
import { infiniteQueryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ActKind, OperatorAct } from '#contract/operator.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { userQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime, knownZone } from '#web/lib/moments.ts'
import { Section } from '#web/settings/settings-section.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import classes from './operator.module.css'

export const actsQuery = infiniteQueryOptions({
  queryKey: ['server', 'acts'],
  queryFn: ({ pageParam, signal }) =>
    call('listOperatorActs', { query: pageParam === null ? {} : { before: pageParam }, signal }),
  initialPageParam: null as number | null,
  getNextPageParam: ({ items, more }) => (more ? (items.at(-1)?.act_id ?? null) : null),
})

export function ActsSection() {
  const acts = useInfiniteQuery(actsQuery)
  const { data: user } = useQuery(userQuery)
  const zone = knownZone(user?.timezone ?? 'UTC')
  const items = acts.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Section
      title="What operators did"
      about="Each act, with what it changed. Nobody can delete a line."
      rows
    >
      {acts.status === 'pending' && <RowsSkeleton />}
      {acts.status === 'error' && (
        <QueryError query={acts}>{messageOf(acts.error, TEXTS.unknownError)}</QueryError>
      )}
      {acts.status === 'success' && items.length === 0 && (
        <Text p="md" c="dimmed">
          Nothing yet.
        </Text>
      )}
      {items.length > 0 && (
        <ul className={classes.list}>
          {items.map((act) => (
            <li key={act.act_id} className={classes.act}>
              <time dateTime={act.at}>{dayAndTime(act.at, zone)}</time>
              <span dir="auto">
                {`${act.operator ?? 'Command line'}: ${WORDS[act.act]} ${act.subject}${describeChange(act)}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {acts.hasNextPage && (
        <div className={classes.foot}>
          <Button
            variant="subtle"
            size="xs"
            loading={acts.isFetchingNextPage}
            onClick={() => void acts.fetchNextPage()}
          >
            Show earlier ones
          </Button>
        </div>
      )}
    </Section>
  )
}

const WORDS: Record<ActKind, string> = {
  invitation_made: 'made an invitation for',
  invitation_revoked: 'revoked the invitation for',
  operator_granted: 'made an operator of',
  operator_revoked: 'took operating from',
  platform_keys_removed: 'removed the keys of',
  platform_keys_set: 'entered the keys of',
  reset_link_made: 'made a reset link for',
  reset_link_sent: 'mailed a reset link to',
  restored_decided: 'decided about the posts held after a restore, of',
  signup_set: 'changed who may use',
  test_mail_sent: 'sent a test mail to',
  user_deleted: 'deleted',
  user_disabled: 'disabled',
  user_enabled: 'enabled',
  user_logged_out: 'logged out everywhere',
  user_quota_set: 'changed the storage of',
}

function describeChange({ before, after }: OperatorAct): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const changes = names.map((name) => {
    const was = String(before?.[name] ?? 'none')
    const is = after === null ? 'gone' : String(after[name] ?? 'none')
    return `${name.replaceAll('_', ' ')}: ${was} → ${is}`
  })
  return changes.length === 0 ? '' : ` (${changes.join(', ')})`
}

import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { announce } from '#web/ui/announce.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { ActsSection } from './acts-section.tsx'
import { ChecksSection } from './checks-section.tsx'
import { FactsSection } from './facts-section.tsx'
import { PlatformsSection } from './platforms-section.tsx'
import { serverChecksQuery } from './server-checks-query.ts'

/** What an operator needs: what wants a hand first, then what the server has and does. */
export function ServerScreen() {
  const again = useMutation({
    mutationFn: async () => {
      const found = await call('listServerChecks', { query: { fresh: 'true' } })
      queryClient.setQueryData(serverChecksQuery.queryKey, found)
      await queryClient.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) => first === 'server' && second !== 'checks',
      })
    },
    onError: (error) => announce({ kind: 'failed', message: messageOf(error, TEXTS.unknownError) }),
  })
  return (
    <>
      <PageHeader
        title={LABELS.server}
        aside={
          <>
            <Button variant="default" component={Link} to={PATHS.serverUsers}>
              {LABELS.users}
            </Button>
            <Button variant="default" loading={again.isPending} onClick={() => again.mutate()}>
              Check again
            </Button>
          </>
        }
      />
      <Stack gap="lg">
        <ChecksSection />
        <PlatformsSection />
        <FactsSection />
        <ActsSection />
      </Stack>
    </>
  )
}

import { Button, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ServerFacts } from '#contract/operator.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { counted, formatBytes, formatDuration } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { RestoredDialog } from '#web/posts/restored-dialog.tsx'
import { Row, Section } from '#web/settings/settings-section.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { actsQuery } from './acts-section.tsx'
import { queryClient } from '#web/api/queries.ts'
import classes from './operator.module.css'

const factsQuery = queryOptions({
  queryKey: ['server', 'facts'],
  queryFn: ({ signal }) => call('getServer', { signal }),
  refetchInterval: 60_000,
})

export function FactsSection() {
  const facts = useQuery(factsQuery)
  return (
    <Section title="At work" about="What the server has and does. Read again every minute." rows>
      {facts.status === 'pending' && <RowsSkeleton rows={5} />}
      {facts.status === 'error' && (
        <QueryError query={facts}>{messageOf(facts.error, TEXTS.unknownError)}</QueryError>
      )}
      {facts.status === 'success' && <Facts facts={facts.data} />}
    </Section>
  )
}

const ago = (at: string): string => `${formatDuration((serverNow() - Date.parse(at)) / 1000)} ago`

function Facts({
  facts: { queue, processes, database, videos, mails, backups, held_after_restore: held, users, version },
}: {
  facts: ServerFacts
}) {
  const room = videos.room_bytes === null ? 'in a bucket' : `${formatBytes(videos.room_bytes)} left`
  return (
    <>
      <Row title="Posts">
        <Fact>
          {queue.oldest_at === null
            ? 'Nothing waits for a worker'
            : `${counted(queue.waiting, 'post')} due and not taken, the oldest since ${ago(queue.oldest_at)}`}
          {`; ${queue.running} being sent or checked now.`}
        </Fact>
      </Row>
      {held > 0 && <RestoredRow held={held} />}
      <Row title="Processes">
        {processes.length === 0 && <Fact>None has told of itself yet.</Fact>}
        <ul className={classes.processes}>
          {processes.map((one) => (
            <li key={one.process_id}>
              <Fact>
                {`${ROLES[one.role]} on ${one.host}, version ${one.version}: started ${ago(one.started_at)}, last sign ${ago(one.seen_at)}`}
              </Fact>
            </li>
          ))}
        </ul>
      </Row>
      <Row title="Database">
        <Fact>{`PostgreSQL ${database.version}, ${formatBytes(database.bytes)}`}</Fact>
      </Row>
      <Row title="Videos">
        <Fact>
          {`${counted(videos.count, 'video')}, ${formatBytes(videos.bytes)}, of which ${formatBytes(videos.bytes_in_30_days)} came in 30 days; ${room}`}
        </Fact>
      </Row>
      <MailRow mails={mails} />
      <Row title="Backups">
        <Fact>
          {backups.last_at !== null
            ? `The last one was made, and read back, ${ago(backups.last_at)}`
            : backups.on
              ? 'None has been made yet'
              : 'Off: set BACKUP_DIR'}
        </Fact>
      </Row>
      <Row title="Reelay">
        <Fact>{`Version ${version}, ${counted(users, 'user')}`}</Fact>
      </Row>
    </>
  )
}

const ROLES = { all: 'Web server and worker', web: 'Web server', worker: 'Worker' } as const

const Fact = ({ children }: { children: React.ReactNode }) => (
  <Text c="dimmed" size="sm">
    {children}
  </Text>
)

function RestoredRow({ held }: { held: number }) {
  const [isDeciding, setDeciding] = useState(false)
  return (
    <Row
      title="Restored data"
      actions={
        <Button size="xs" variant="default" onClick={() => setDeciding(true)}>
          Decide for all users
        </Button>
      }
    >
      <Fact>{`${counted(held, 'post')} to an account ${held === 1 ? 'is' : 'are'} held, since some may be live already`}</Fact>
      {isDeciding && (
        <RestoredDialog
          decide={(decision) => call('decideAllRestored', { body: { decision } })}
          onClose={() => setDeciding(false)}
        />
      )}
    </Row>
  )
}

function MailRow({ mails }: { mails: ServerFacts['mails'] }) {
  const test = useMutation({
    mutationFn: () => call('sendTestMail'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: actsQuery.queryKey }),
  })
  const said = test.error === null ? test.data?.message : messageOf(test.error, TEXTS.unknownError)
  const isWell = test.data !== undefined && test.data.result !== 'failed'
  return (
    <Row
      title="Mail"
      actions={
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send me a test mail
        </Button>
      }
      below={said !== undefined && <InlineAlert tone={isWell ? 'note' : 'failed'}>{said}</InlineAlert>}
    >
      <Fact>
        {mails.server ? `${counted(mails.waiting, 'mail')} waiting` : 'No mail server is set'}
        {mails.oldest_failing_at !== null &&
          `; ${mails.failing} not taken, the oldest since ${ago(mails.oldest_failing_at)}`}
      </Fact>
    </Row>
  )
}

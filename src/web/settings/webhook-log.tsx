import { Box, Button, Checkbox, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { IconCheck, IconCircleX, IconClock } from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { WEBHOOK_LOG_DAYS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Webhook, WebhookFailure, WebhookMessage } from '#contract/webhooks.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime, namedDayAndTime } from '#web/lib/moments.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { useNow } from '#web/lib/use-now.ts'
import { announce } from '#web/ui/announce.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { Badge, type Look } from '#web/ui/status.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { webhookLogQuery, webhookMessageQuery } from './webhook-queries.ts'
import keyClasses from './api-keys.module.css'
import classes from './webhooks.module.css'

/** What a webhook was sent, with what is sent again and as a test. */
export function WebhookLog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [isResending, setResending] = useState(false)
  const { webhook_id: webhookId } = webhook
  const test = useMutation({
    mutationFn: () => call('testWebhook', { params: { webhookId } }),
    onSuccess: () => queryClient.invalidateQueries(webhookLogQuery(webhookId)),
  })
  return (
    <Modal opened onClose={onClose} title="Webhook log" size="46rem" yOffset="6dvh">
      <Stack>
        <Text size="xs" c="dimmed" className={classes.address}>
          <bdi>{webhook.address}</bdi>
        </Text>
        <Group gap="xs">
          <Button variant="default" loading={test.isPending} data-autofocus onClick={() => test.mutate()}>
            Send a test
          </Button>
          <Button
            variant="default"
            aria-expanded={isResending}
            onClick={() => setResending((before) => !before)}
          >
            Send all since…
          </Button>
        </Group>
        {test.error && <InlineAlert>{messageOf(test.error, TEXTS.unknownError)}</InlineAlert>}
        {isResending && <ResendAll webhook={webhook} onDone={() => setResending(false)} />}
        <LogList webhook={webhook} />
      </Stack>
    </Modal>
  )
}

function LogList({ webhook }: { webhook: Webhook }) {
  const log = useInfiniteQuery(webhookLogQuery(webhook.webhook_id))
  switch (log.status) {
    case 'pending':
      return <FieldsSkeleton heights={[32, 32, 32]} />
    case 'error':
      return <QueryError query={log}>{messageOf(log.error, TEXTS.unknownError)}</QueryError>
    case 'success': {
      const messages = log.data.pages.flatMap(({ items }) => items)
      if (messages.length === 0)
        return <CenteredMessage inCard text={`Nothing was sent in the last ${WEBHOOK_LOG_DAYS} days.`} />
      return (
        <>
          <ul className={classes.log} aria-label="Messages">
            {messages.map((message) => (
              <MessageRow key={message.message_id} webhook={webhook} message={message} />
            ))}
          </ul>
          {log.hasNextPage && (
            <div>
              <Button
                variant="default"
                size="compact-sm"
                loading={log.isFetchingNextPage}
                onClick={() => void log.fetchNextPage()}
              >
                Show older
              </Button>
            </div>
          )}
        </>
      )
    }
  }
}

const LOOKS: Readonly<Record<WebhookMessage['status'], Look>> = {
  waiting: { tone: 'scheduled', Icon: IconClock, word: 'Waiting' },
  delivered: { tone: 'published', Icon: IconCheck, word: 'Delivered' },
  failed: { tone: 'failed', Icon: IconCircleX, word: 'Not delivered' },
}

const FAILURE_TEXTS: Readonly<Record<WebhookFailure, string>> = {
  refused: 'Refused',
  redirected: 'Redirected, which is not followed',
  timed_out: 'No answer in time',
  unreachable: 'Not reachable',
  no_address: 'No such host',
  not_public: 'In a private network, which this server does not call',
  not_https: 'Not an https address',
  bad_certificate: 'Its certificate is not valid',
  secret_lost: 'The server lost the key of its secret. Make a new secret',
  off: 'The webhook was off',
  restored: 'It waited when the server was restored',
}

/** "Refused: 500 · 3 attempts" */
function describeMessage({ failure, answer_status: status, attempts }: WebhookMessage): string {
  const answer = status === null ? null : String(status)
  const what = failure === null ? answer : [FAILURE_TEXTS[failure], answer].filter(Boolean).join(': ')
  return [what, attempts > 1 && counted(attempts, 'attempt')].filter(Boolean).join(' · ')
}

function MessageRow({ webhook, message }: { webhook: Webhook; message: WebhookMessage }) {
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const zone = useOwnZone()
  const now = useNow()
  const { webhook_id: webhookId } = webhook
  const { message_id: messageId, type, created_at: at, next_at: nextAt } = message
  const resend = useMutation({
    mutationFn: () => call('resendWebhookMessage', { params: { webhookId, messageId } }),
    onSettled: () => queryClient.invalidateQueries(webhookLogQuery(webhookId)),
  })
  const when = namedDayAndTime(at, { zone, now })
  // A retry is hours away; the first attempt follows at once.
  const isRetry = message.status === 'waiting' && message.attempts > 0 && nextAt !== null
  return (
    <li>
      <Group justify="space-between" gap="0.25rem 0.75rem" px="md" py="xs">
        <Box flex="1 1 14rem" miw={0}>
          <Group gap="0 0.75rem">
            <code className={keyClasses.code}>{type}</code>
            <Badge {...LOOKS[message.status]} />
          </Group>
          <Text size="xs" c="dimmed">
            <time dateTime={at}>{when}</time>
            {[describeMessage(message), isRetry && `next ${dayAndTime(nextAt, zone)}`]
              .filter(Boolean)
              .map((part) => ` · ${part}`)
              .join('')}
          </Text>
        </Box>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={`Details of ${type}, ${when}`}
            aria-expanded={isOpen}
            aria-controls={details}
            onClick={() => setOpen((before) => !before)}
          >
            Details
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`Send again: ${type}, ${when}`}
            loading={resend.isPending}
            onClick={() => resend.mutate()}
          >
            Send again
          </Button>
        </Group>
      </Group>
      {resend.error && (
        <Box px="md" pb="xs">
          <InlineAlert>{messageOf(resend.error, TEXTS.unknownError)}</InlineAlert>
        </Box>
      )}
      <div id={details} hidden={!isOpen}>
        {isOpen && <Details webhook={webhook} message={message} />}
      </div>
    </li>
  )
}

function Details({ webhook, message }: { webhook: Webhook; message: WebhookMessage }) {
  const detail = useQuery(webhookMessageQuery(webhook.webhook_id, message.message_id, message.attempts))
  return (
    <Stack gap="xs" px="md" pb="md">
      {detail.status === 'pending' && <FieldsSkeleton heights={[48]} />}
      {detail.status === 'error' && (
        <QueryError query={detail}>{messageOf(detail.error, TEXTS.unknownError)}</QueryError>
      )}
      {detail.status === 'success' && (
        <>
          <Sent title="Body">{indent(detail.data.body)}</Sent>
          <Sent title="Answer">
            {detail.data.answer === null
              ? 'There was no answer.'
              : detail.data.answer === ''
                ? 'An empty answer.'
                : detail.data.answer}
          </Sent>
          <Text size="xs" c="dimmed">
            Id of the event: <code className={keyClasses.code}>{message.event_id}</code>
          </Text>
        </>
      )}
    </Stack>
  )
}

function Sent({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" fw={600} mb="0.25rem">
        {title}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
      <pre className={classes.sent} tabIndex={0} aria-label={title}>
        {children}
      </pre>
    </div>
  )
}

function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body // an older version wrote it
  }
}

const HOUR_MS = 3_600_000
const PERIODS = [
  { value: '1', label: 'In the last hour' },
  { value: '24', label: 'In the last 24 hours' },
  { value: '72', label: 'In the last 3 days' },
  { value: '168', label: 'In the last 7 days' },
  { value: String(WEBHOOK_LOG_DAYS * 24), label: `In the last ${WEBHOOK_LOG_DAYS} days` },
]

function ResendAll({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const [hours, setHours] = useState('72')
  const [isUndelivered, setUndelivered] = useState(true)
  const params = { webhookId: webhook.webhook_id }
  const resend = useMutation({
    mutationFn: async () => {
      let messages = 0
      let since: string | null = new Date(serverNow() - Number(hours) * HOUR_MS).toISOString()
      while (since !== null) {
        const answer: { messages: number; more_since: string | null } = await call('resendWebhookMessages', {
          params,
          body: { since, undelivered: isUndelivered },
        })
        messages += answer.messages
        since = answer.more_since
      }
      return messages
    },
    onSuccess: (messages) => {
      announce({
        kind: 'done',
        message:
          messages === 0 ? 'There is nothing to send again.' : `${counted(messages, 'message')} sent again.`,
      })
      onDone()
    },
    onSettled: () => queryClient.invalidateQueries(webhookLogQuery(webhook.webhook_id)),
  })
  return (
    <form
      aria-label="Send all since"
      className={classes.resend}
      onSubmit={(event) => {
        event.preventDefault()
        if (!resend.isPending) resend.mutate()
      }}
    >
      <Stack gap="sm">
        <NativeSelect
          label="Messages made"
          value={hours}
          onChange={({ currentTarget }) => setHours(currentTarget.value)}
          data={PERIODS}
        />
        <Checkbox
          label="Only those that were not delivered"
          description="Your program should know the others by their ids."
          checked={isUndelivered}
          onChange={({ currentTarget }) => setUndelivered(currentTarget.checked)}
        />
        {resend.error && <InlineAlert>{messageOf(resend.error, TEXTS.unknownError)}</InlineAlert>}
        <Group gap="xs">
          <Button type="submit" size="xs" loading={resend.isPending}>
            Send again
          </Button>
          <Button size="xs" variant="default" disabled={resend.isPending} onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleX,
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { WEBHOOK_OLD_SECRET_HOURS, WEBHOOK_RETRY_DAYS, WEBHOOKS_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Webhook } from '#contract/webhooks.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime, untilText } from '#web/lib/moments.ts'
import { announce } from '#web/ui/announce.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { Badge, type Look } from '#web/ui/status.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { LoadedRows, Row } from './settings-section.tsx'
import { WebhookDialog, WebhookSecret } from './webhook-dialog.tsx'
import { WebhookLog } from './webhook-log.tsx'
import { storeWebhook, webhooksQuery } from './webhook-queries.ts'
import classes from './webhooks.module.css'

/** The rows of the settings' section about webhooks. */
export default function Webhooks() {
  return (
    <LoadedRows query={useQuery(webhooksQuery)}>
      {(webhooks) => <WebhookRows webhooks={webhooks} />}
    </LoadedRows>
  )
}

function WebhookRows({ webhooks }: { webhooks: readonly Webhook[] }) {
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const isFull = webhooks.length >= WEBHOOKS_MAX
  const newWebhook = (
    <Button ref={opener} variant="default" disabled={isFull} onClick={() => setOpen(true)}>
      New webhook
    </Button>
  )
  return (
    <>
      {webhooks.length === 0 ? (
        <CenteredMessage text="You have no webhooks yet." action={newWebhook} />
      ) : (
        <Row title={counted(webhooks.length, 'webhook')} actions={newWebhook}>
          <Text c="dimmed" size="xs">
            {isFull
              ? `You can have ${WEBHOOKS_MAX} webhooks. Delete one to make another.`
              : `Messages are signed (Standard Webhooks), and tried for ${WEBHOOK_RETRY_DAYS} days.`}
          </Text>
        </Row>
      )}
      {webhooks.map((webhook) => (
        <WebhookRow key={webhook.webhook_id} webhook={webhook} />
      ))}
      {isOpen && (
        <WebhookDialog
          webhook={null}
          onClose={() => {
            setOpen(false)
            opener.current?.focus()
          }}
        />
      )}
    </>
  )
}

const LOOKS: Readonly<Record<Webhook['status'], Look>> = {
  on: { tone: 'published', Icon: IconCheck, word: 'On' },
  failing: { tone: 'attention', Icon: IconAlertTriangle, word: 'Failing' },
  off: { tone: 'draft', Icon: IconPlayerPause, word: 'Off' },
  switched_off: { tone: 'failed', Icon: IconCircleX, word: 'Switched off' },
}

type Asked = 'none' | 'edit' | 'log' | 'rotate' | 'delete'

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const menuButton = useRef<HTMLButtonElement>(null)
  const logButton = useRef<HTMLButtonElement>(null)
  const [asked, setAsked] = useState<Asked>('none')
  const [secret, setSecret] = useState<string | null>(null)
  const zone = useOwnZone()
  const { webhook_id: webhookId, address, status } = webhook
  const isOff = status === 'off' || status === 'switched_off'
  const turn = useMutation({
    mutationFn: (active: boolean) => call('changeWebhook', { params: { webhookId }, body: { active } }),
    onSuccess: (changed) => {
      storeWebhook(changed)
      announce({
        kind: 'done',
        message: changed.off_since === null ? 'Webhook turned on.' : 'Webhook turned off.',
      })
    },
    onError: () => queryClient.invalidateQueries(webhooksQuery),
  })
  const close = () => {
    setAsked('none')
    setSecret(null)
    menuButton.current?.focus()
  }
  return (
    <Row
      title={address}
      actions={
        <>
          <Button
            ref={logButton}
            variant="default"
            aria-label={`Log of ${address}`}
            onClick={() => setAsked('log')}
          >
            Log
          </Button>
          <Menu position="bottom-end" portalProps={{ target: '#page' }} withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <ActionIcon ref={menuButton} size="lg" aria-label={`More about ${address}`}>
                <IconDots {...ICON} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={() => setAsked('edit')}>
                Edit…
              </Menu.Item>
              <Menu.Item leftSection={<IconKey {...ICON} />} onClick={() => setAsked('rotate')}>
                New secret…
              </Menu.Item>
              <Menu.Item
                leftSection={isOff ? <IconPlayerPlay {...ICON} /> : <IconPlayerPause {...ICON} />}
                disabled={turn.isPending}
                onClick={() => turn.mutate(isOff)}
              >
                {isOff ? 'Turn on' : 'Turn off'}
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash {...ICON} />} onClick={() => setAsked('delete')}>
                Delete…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
      below={
        <>
          {status === 'switched_off' && (
            <InlineAlert
              tone="attention"
              live={false}
              actions={
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Turn on ${address}`}
                  loading={turn.isPending}
                  onClick={() => turn.mutate(true)}
                >
                  Turn on
                </Button>
              }
            >
              Nothing was delivered for {WEBHOOK_RETRY_DAYS} days. Events are still written to the log: once
              the address works, turn the webhook on and send them from there.
            </InlineAlert>
          )}
          {turn.error && <InlineAlert>{messageOf(turn.error, TEXTS.unknownError)}</InlineAlert>}
          {asked === 'rotate' && secret === null && (
            <RotateQuestion webhook={webhook} asker={menuButton} onKeep={close} onMade={setSecret} />
          )}
          {asked === 'delete' && <DeleteQuestion webhook={webhook} asker={menuButton} onKeep={close} />}
          {asked === 'edit' && <WebhookDialog webhook={webhook} onClose={close} />}
          {asked === 'log' && (
            <WebhookLog
              webhook={webhook}
              onClose={() => {
                setAsked('none')
                void queryClient.invalidateQueries(webhooksQuery)
                logButton.current?.focus()
              }}
            />
          )}
          {secret !== null && (
            <Modal
              opened
              onClose={close}
              closeOnClickOutside={false}
              title="The new secret"
              size="34rem"
              yOffset="6dvh"
            >
              <WebhookSecret secret={secret} onDone={close} />
            </Modal>
          )}
        </>
      }
    >
      <Stack gap="0.25rem" c="dimmed" fz="xs" lh="xs">
        <p className={classes.events}>{webhook.events.join(', ')}</p>
        <Group component="p" gap="0 0.75rem">
          <Badge {...LOOKS[status]} />
          <span>
            {webhook.succeeded_at === null
              ? 'Nothing delivered yet'
              : `Last delivered ${dayAndTime(webhook.succeeded_at, zone)}`}
          </span>
          {status === 'failing' && webhook.failed_at !== null && (
            <span>Last failed {dayAndTime(webhook.failed_at, zone)}</span>
          )}
          {webhook.rotating_until !== null && (
            <span>{`Two secrets sign${untilText(webhook.rotating_until, zone)}`}</span>
          )}
        </Group>
      </Stack>
    </Row>
  )
}

type QuestionProps = {
  webhook: Webhook
  asker: { current: HTMLButtonElement | null }
  onKeep: () => void
}

function RotateQuestion({
  webhook: { webhook_id: webhookId },
  asker,
  onKeep,
  onMade,
}: QuestionProps & { onMade: (secret: string) => void }) {
  const rotate = useMutation({
    // The secret goes past the mutation's own cache, which would keep it for minutes.
    mutationFn: async () => {
      const { webhook, secret } = await call('rotateWebhookSecret', { params: { webhookId } })
      storeWebhook(webhook)
      onMade(secret)
    },
  })
  return (
    <Confirm
      question={`Make a new secret? For ${WEBHOOK_OLD_SECRET_HOURS} hours the present one signs too. One from before that ends at once.`}
      action="Make new secret"
      danger={false}
      keep="Cancel"
      asker={asker}
      busy={rotate.isPending}
      failure={rotate.error && messageOf(rotate.error, TEXTS.unknownError)}
      onConfirm={() => rotate.mutate()}
      onKeep={onKeep}
    />
  )
}

function DeleteQuestion({ webhook: { webhook_id: webhookId, address }, asker, onKeep }: QuestionProps) {
  const remove = useMutation({
    mutationFn: () => call('deleteWebhook', { params: { webhookId } }),
    onSuccess: () => {
      queryClient.setQueryData(webhooksQuery.queryKey, (webhooks) =>
        webhooks?.filter((one) => one.webhook_id !== webhookId),
      )
      focusPage()
      announce({ kind: 'done', message: 'Webhook deleted.' })
    },
    // Another tab may have deleted it.
    onError: () => queryClient.invalidateQueries(webhooksQuery),
  })
  return (
    <Confirm
      question={`Delete the webhook to ${address} with its log? What waits is not sent.`}
      action="Delete webhook"
      asker={asker}
      busy={remove.isPending}
      failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
      onConfirm={() => remove.mutate()}
      onKeep={onKeep}
    />
  )
}

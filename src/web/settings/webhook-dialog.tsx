import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { WEBHOOK_ADDRESS_MAX_CHARS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { NewWebhook, type Webhook, WEBHOOK_EVENTS, type WebhookEvent } from '#contract/webhooks.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { storeWebhook, webhooksQuery } from './webhook-queries.ts'

type Props = {
  /** null: a new one. */
  webhook: Webhook | null
  onClose: () => void
}

/** Makes a webhook and shows its secret once, or changes one. */
export function WebhookDialog({ webhook, onClose }: Props) {
  // Until it is closed, and nowhere else: it cannot be read again.
  const [secret, setSecret] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const title = webhook === null ? 'New webhook' : 'Edit webhook'
  return (
    <Modal
      opened
      // A webhook whose secret nobody has seen would be left over.
      onClose={() => !isBusy && onClose()}
      closeOnClickOutside={secret === null}
      title={secret === null ? title : 'Your new webhook'}
      size="34rem"
      yOffset="6dvh"
    >
      {secret === null ? (
        <WebhookForm webhook={webhook} onBusy={setBusy} onMade={setSecret} onClose={onClose} />
      ) : (
        <WebhookSecret secret={secret} onDone={onClose} />
      )}
    </Modal>
  )
}

export const WebhookSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <ShownSecret
    label="Secret"
    secret={secret}
    warning="Copy the secret now: it is shown only once. Your program checks with it that a message came from here."
    onDone={onDone}
  />
)

const EVENT_TEXTS: Readonly<Record<WebhookEvent, string>> = {
  'post.scheduled': 'A post is planned, or what is planned changes',
  'post.published': 'A post is published on all its accounts',
  'post.partially_published': 'A post is published on some of its accounts, and failed on others',
  'post.failed': 'A post failed on all its accounts',
  'delivery.*': 'Each account of a post: live, failed, held, cancelled or not confirmed',
  'delivery.link_resolved': 'The link to a live post is known',
  'account.needs_relink': 'An account must be linked again',
  'video.ready': 'An uploaded video is ready to post',
  'results.synced': 'New results of a live post were read',
}

const PROPOSED: readonly WebhookEvent[] = ['post.published', 'post.partially_published', 'post.failed']

type Errors = { readonly address?: string | undefined; readonly events?: string | undefined }

type FormProps = Props & {
  readonly onBusy: (isBusy: boolean) => void
  readonly onMade: (secret: string) => void
}

function WebhookForm({ webhook, onBusy, onMade, onClose }: FormProps) {
  const element = useRef<HTMLFormElement>(null)
  const [address, setAddress] = useState(webhook?.address ?? '')
  const [events, setEvents] = useState<string[]>([...(webhook?.events ?? PROPOSED)])
  const [invalid, setInvalid] = useState<Errors>({})
  const save = useMutation({
    // The secret goes past the mutation's own cache, which would keep it for minutes.
    mutationFn: async (body: NewWebhook) => {
      if (webhook === null) {
        const { secret } = await call('createWebhook', { body })
        onMade(secret)
        return
      }
      storeWebhook(await call('changeWebhook', { params: { webhookId: webhook.webhook_id }, body }))
      announce({ kind: 'done', message: 'Webhook updated.' })
      onClose()
    },
    onSettled: () => {
      onBusy(false)
      void queryClient.invalidateQueries(webhooksQuery)
    },
  })
  const refused = save.error instanceof ApiProblem ? save.error.errors : {}
  const errors: Errors = {
    address: invalid.address ?? refused['address']?.join(' '),
    events: invalid.events ?? refused['events']?.join(' '),
  }
  const hasFieldError = errors.address !== undefined || errors.events !== undefined
  const submit = () => {
    // Their order is that of the list.
    const parsed = NewWebhook.safeParse({
      address: address.trim(),
      events: WEBHOOK_EVENTS.filter((event) => events.includes(event)),
    })
    if (parsed.success) {
      setInvalid({})
      onBusy(true)
      return save.mutate(parsed.data)
    }
    const say = (field: keyof Errors) => parsed.error.issues.find(({ path }) => path[0] === field)?.message
    const found = { address: say('address'), events: say('events') }
    setInvalid(found)
    const first = found.address === undefined ? 'events' : 'address'
    element.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] input`)?.focus()
  }
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) submit()
      }}
    >
      <Stack>
        <div data-field="address">
          <TextInput
            label="Address"
            description="Your program answers there within 15 seconds."
            placeholder="https://example.com/hooks/reelay"
            type="url"
            inputMode="url"
            data-autofocus
            autoComplete="off"
            maxLength={WEBHOOK_ADDRESS_MAX_CHARS}
            value={address}
            onChange={(event) => {
              setAddress(event.currentTarget.value)
              setInvalid((before) => ({ ...before, address: undefined }))
              save.reset()
            }}
            error={errors.address}
          />
        </div>
        <div data-field="events">
          <Checkbox.Group
            label="Events"
            description="What it is sent."
            value={events}
            onChange={(chosen) => {
              setEvents(chosen)
              setInvalid((before) => ({ ...before, events: undefined }))
              save.reset()
            }}
            error={errors.events}
          >
            <Stack gap="xs" mt="xs">
              {WEBHOOK_EVENTS.map((event) => (
                <Checkbox key={event} value={event} label={EVENT_TEXTS[event]} description={event} />
              ))}
            </Stack>
          </Checkbox.Group>
        </div>
        {save.error && !hasFieldError && (
          <InlineAlert>{messageOf(save.error, TEXTS.unknownError)}</InlineAlert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={save.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {webhook === null ? 'Make webhook' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

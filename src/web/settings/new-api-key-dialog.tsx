import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { NewApiKey } from '#contract/api-keys.ts'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { API_KEY_NAME_MAX_CHARS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { apiKeysQuery } from './api-key-queries.ts'
import classes from './api-keys.module.css'
import { type KeyRights, KeyRightsFields, toRequestRights } from './key-rights-fields.tsx'
import { ShownSecret } from './shown-secret.tsx'

/** Until it is closed, and nowhere else: the secret cannot be read again. */
type Made = { readonly name: string; readonly secret: string; readonly canRead: boolean }

/** Makes a key, then shows its secret once. */
export function NewApiKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null)
  const [isBusy, setBusy] = useState(false)
  return (
    <Modal
      opened
      // A key whose secret nobody has seen would be left over.
      onClose={() => !isBusy && onClose()}
      closeOnClickOutside={made === null}
      title={made === null ? 'New API key' : 'Your new key'}
      size="34rem"
      yOffset="6dvh"
    >
      {made === null ? (
        <NewKeyForm onBusy={setBusy} onMade={setMade} onCancel={onClose} />
      ) : (
        <Secret made={made} onDone={onClose} />
      )}
    </Modal>
  )
}

function Secret({ made: { name, secret, canRead }, onDone }: { made: Made; onDone: () => void }) {
  const example = `curl -H "Authorization: Bearer ${secret}" ${location.origin}${API_PREFIX}/user`
  return (
    <ShownSecret
      label={`Secret of ${name}`}
      secret={secret}
      warning="Copy the secret now: it is shown only once. Keep it like a password, for whoever has it can do what the key may do."
      onDone={onDone}
    >
      {canRead && (
        <div>
          <Group justify="space-between" gap="xs" mb="xs">
            <Text size="xs" fw={600}>
              Try it in a terminal
            </Text>
            <CopyButton text={example} what="the example" />
          </Group>
          <code className={classes.example}>{example}</code>
        </div>
      )}
    </ShownSecret>
  )
}

const NEVER = 'never'
const EXPIRY_DAYS = [30, 90, 365] as const
const EXPIRIES = [
  ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: days === 365 ? '1 year' : `${days} days` })),
  { value: NEVER, label: 'No expiry' },
]

type Field = keyof NewApiKey
const FIELDS: readonly Field[] = ['name', 'scopes', 'limited_to', 'expires_in_days']
type Errors = Partial<Record<Field, string>>

/** Errors of a check, in this browser or at the server, by the field that they are about. */
function errorsByField(errors: Iterable<readonly [path: string, message: string]>): Errors {
  const byField: Errors = {}
  for (const [path, message] of errors) {
    const field = FIELDS.find((one) => path === one || path.startsWith(`${one}.`))
    if (field) byField[field] ??= message
  }
  return byField
}

type FormProps = {
  onBusy: (isBusy: boolean) => void
  onMade: (made: Made) => void
  onCancel: () => void
}

function NewKeyForm({ onBusy, onMade, onCancel }: FormProps) {
  const zone = useOwnZone()
  const element = useRef<HTMLFormElement>(null)
  const [name, setName] = useState('')
  const [rights, setRights] = useState<KeyRights>({
    scopes: ['read'],
    isLimited: false,
    limit: { brand_ids: [], account_ids: [] },
  })
  const [expiry, setExpiry] = useState('90')
  const [invalid, setInvalid] = useState<Errors>({})
  const days = expiry === NEVER ? null : Number(expiry)
  const create = useMutation({
    // The secret goes past the mutation's own cache, which would keep it for minutes.
    mutationFn: async (body: NewApiKey) => {
      const { key, secret } = await call('createApiKey', { body })
      onMade({ name: key.name, secret, canRead: key.scopes.includes('read') })
    },
    onSettled: () => {
      onBusy(false)
      void queryClient.invalidateQueries(apiKeysQuery)
    },
  })
  const refused = create.error instanceof ApiProblem ? create.error : null
  const errors: Errors = {
    ...errorsByField(Object.entries(refused?.errors ?? {}).map(([path, said]) => [path, said.join(' ')])),
    // Only a brand or an account can be missing.
    ...(refused?.code === 'not_found' && {
      limited_to: 'One of them is gone. Look through your choice, and try again.',
    }),
    ...invalid,
  }
  const change = (...fields: Field[]) => {
    create.reset()
    setInvalid((before) =>
      Object.fromEntries(Object.entries(before).filter(([field]) => !fields.some((one) => one === field))),
    )
  }
  const submit = () => {
    const parsed = NewApiKey.safeParse({ name, ...toRequestRights(rights), expires_in_days: days })
    if (parsed.success) {
      setInvalid({})
      onBusy(true)
      create.mutate(parsed.data)
      return
    }
    const found = errorsByField(parsed.error.issues.map(({ path, message }) => [path.join('.'), message]))
    setInvalid(found)
    const first = FIELDS.find((field) => found[field] !== undefined)
    element.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] input`)?.focus()
  }
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) submit()
      }}
    >
      <Stack>
        <div data-field="name">
          <TextInput
            label="Name"
            description="What uses it, so that you know it again."
            placeholder="Upload script in the office"
            data-autofocus
            autoComplete="off"
            maxLength={API_KEY_NAME_MAX_CHARS}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value)
              change('name')
            }}
            error={errors.name}
          />
        </div>
        <KeyRightsFields
          rights={rights}
          errors={errors}
          onChange={(chosen, field) => {
            setRights(chosen)
            change(field)
          }}
        />
        <NativeSelect
          label="Expires after"
          description={
            days === null
              ? 'It works until you delete it, or change your password.'
              : `It works until ${dateOf(new Date(serverNow() + days * 86_400_000).toISOString(), zone)}.`
          }
          value={expiry}
          onChange={({ currentTarget }) => {
            setExpiry(currentTarget.value)
            change('expires_in_days')
          }}
          data={EXPIRIES}
          error={errors.expires_in_days}
        />
        {create.error && Object.keys(errors).length === 0 && (
          <InlineAlert>
            {messageOf(create.error, TEXTS.unknownError)}
            {isUnanswered(create.error) &&
              ' The key may have been made all the same. If it is in the list, delete it and make another.'}
          </InlineAlert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={create.isPending} onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Make key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

import { Button, PasswordInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import type { PlatformSetup } from '#contract/operator.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { helpQuery, queryClient, settingsQuery } from '#web/api/queries.ts'
import { MODES, Paste } from '#web/help/going-live.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PLATFORM_HELP } from '#web/platforms/help.tsx'
import { Row, Section } from '#web/settings/settings-section.tsx'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { Badge } from '#web/ui/status.tsx'

const setupsQuery = queryOptions({
  queryKey: ['server', 'platforms'],
  queryFn: ({ signal }) => call('listPlatformSetups', { signal }),
})

/** The platforms' apps: with keys posts go to the real platform, without them to the practice one or nowhere. */
export function PlatformsSection() {
  const setups = useQuery(setupsQuery)
  return (
    <Section
      title="Platforms"
      about="With the keys of your own app, posts go to the real platform. They are in force at once."
      rows
    >
      {setups.status === 'pending' && <RowsSkeleton rows={2} />}
      {setups.status === 'error' && (
        <QueryError query={setups}>{messageOf(setups.error, TEXTS.unknownError)}</QueryError>
      )}
      {setups.status === 'success' &&
        setups.data.map((setup) => <PlatformRow key={setup.platform} setup={setup} />)}
    </Section>
  )
}

const changed = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['server'] }),
    queryClient.invalidateQueries(settingsQuery),
    queryClient.invalidateQueries(helpQuery),
  ])

const save = (platform: PlatformSetup['platform'], keys: Record<string, string> | null) =>
  call('setPlatformKeys', { params: { platform }, body: { keys } })

function PlatformRow({ setup }: { setup: PlatformSetup }) {
  const { platform, mode, fixed, settings } = setup
  const [opened, setOpened] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const removeButton = useRef<HTMLButtonElement>(null)
  const name = PLATFORM_NAMES[platform]
  const { says, ...look } = MODES[mode]
  const remove = useMutation({
    mutationFn: () => save(platform, null),
    onSuccess: () => {
      announce({ kind: 'done', message: `The keys of ${name} are removed.` })
      setRemoving(false)
    },
    onSettled: changed,
  })
  const test = useMutation({ mutationFn: () => call('tryPlatformKeys', { params: { platform } }) })
  const isEntered = settings.some(({ source, required }) => required && source === 'entered')
  const button = { size: 'xs', variant: 'default' } as const
  return (
    <Row
      title={name}
      actions={
        <>
          {mode === 'live' && (
            <Button {...button} loading={test.isPending} onClick={() => test.mutate()}>
              Try the keys
            </Button>
          )}
          {isEntered && !fixed && (
            <Button {...button} ref={removeButton} onClick={() => setRemoving(true)}>
              Remove the keys
            </Button>
          )}
          {!fixed && !opened && (
            <Button {...button} onClick={() => setOpened(true)} aria-label={`Enter the keys of ${name}`}>
              {isEntered ? 'Change the keys' : 'Enter the keys'}
            </Button>
          )}
        </>
      }
      below={
        <>
          {test.error && <InlineAlert>{messageOf(test.error, TEXTS.unknownError)}</InlineAlert>}
          {isRemoving && (
            <Confirm
              question={`Remove the keys of ${name}? ${linkedAgain(setup)}`}
              action="Remove the keys"
              asker={removeButton}
              busy={remove.isPending}
              failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
              onConfirm={() => remove.mutate()}
              onKeep={() => {
                remove.reset()
                setRemoving(false)
              }}
            />
          )}
          {test.data && (
            <InlineAlert tone={test.data.result === 'known' ? 'note' : 'failed'}>
              {test.data.message}
            </InlineAlert>
          )}
          {opened && <KeysForm setup={setup} onClose={() => setOpened(false)} />}
        </>
      }
    >
      <Badge {...look} />
      <Text c="dimmed" size="sm">
        {fixed
          ? `The keys stand in the server's environment: ${settings.flatMap(({ variable, source }) => (source === 'environment' ? [variable] : [])).join(', ')}`
          : says}
      </Text>
    </Row>
  )
}

/** Tokens belong to the app for which they were given. */
const linkedAgain = ({ accounts }: PlatformSetup): string =>
  accounts === 0
    ? 'No account is linked with them.'
    : accounts === 1
      ? 'One account is linked; with another app it must be linked again, and its posts wait until then.'
      : `${accounts} accounts are linked; with another app they must be linked again, and their posts wait until then.`

function KeysForm({ setup, onClose }: { setup: PlatformSetup; onClose: () => void }) {
  const { platform, settings } = setup
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      settings.flatMap(({ variable, value }) => (value === null ? [] : [[variable, value]])),
    ),
  )
  const name = PLATFORM_NAMES[platform]
  const submit = useMutation({
    mutationFn: () => {
      const own = settings.flatMap(({ variable, kind, source }) => {
        const value = values[variable]
        // An empty secret stays as it is.
        const isKept = value === undefined || (kind === 'secret' && value === '')
        return source === 'environment' || isKept ? [] : [[variable, value] as const]
      })
      return save(platform, Object.fromEntries(own))
    },
    onSuccess: () => {
      announce({ kind: 'done', message: `Posts to ${name} go to the real platform from now on.` })
      onClose()
    },
    onSettled: changed,
  })
  const errors = submit.error instanceof ApiProblem ? submit.error.errors : {}
  const errorOf = (variable: string) => errors[`keys.${variable}`]?.join(' ')
  const isElsewhere =
    submit.error !== null && !settings.some(({ variable }) => errorOf(variable) !== undefined)
  return (
    <form
      aria-label={`Keys of ${name}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit.mutate()
      }}
    >
      <Stack maw="32rem">
        <Addresses platform={platform} />
        {settings.map(({ variable, title, kind, required, source }) => {
          const value = values[variable] ?? ''
          const set = (next: string) => setValues((before) => ({ ...before, [variable]: next }))
          const isFixed = source === 'environment'
          const shared = {
            label: title,
            disabled: isFixed,
            description: isFixed ? `Set by the server's environment (${variable}).` : undefined,
            error: errorOf(variable),
          }
          switch (kind) {
            case 'switch':
              return (
                <Switch
                  key={variable}
                  {...shared}
                  checked={value === 'true'}
                  onChange={({ currentTarget: { checked } }) => set(String(checked))}
                />
              )
            case 'text':
              return (
                <TextInput
                  key={variable}
                  {...shared}
                  required={required}
                  autoComplete="off"
                  spellCheck={false}
                  value={value}
                  onChange={({ currentTarget }) => set(currentTarget.value)}
                />
              )
            case 'secret':
              return (
                <PasswordInput
                  key={variable}
                  {...shared}
                  required={required && source === null}
                  autoComplete="off"
                  placeholder={source === 'entered' ? 'Leave empty to keep it' : ''}
                  value={value}
                  onChange={({ currentTarget }) => set(currentTarget.value)}
                />
              )
          }
        })}
        {setup.accounts > 0 && <Text size="sm">{linkedAgain(setup)}</Text>}
        {isElsewhere && <InlineAlert>{messageOf(submit.error, TEXTS.unknownError)}</InlineAlert>}
        <div>
          <Button type="submit" loading={submit.isPending} mr="xs">
            Save
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </div>
      </Stack>
    </form>
  )
}

/** What has to be entered at the platform first. */
function Addresses({ platform }: Pick<PlatformSetup, 'platform'>) {
  const { data: help } = useQuery(helpQuery)
  const facts = help?.platforms.find(({ id }) => id === platform)
  if (facts === undefined) return null
  const name = PLATFORM_NAMES[platform]
  const { developers, scopes } = PLATFORM_HELP[platform].goingLive
  return (
    <div>
      <Text size="sm">
        Make an app at <a href={developers.url}>{developers.name}</a> and enter there (
        <Link to={{ pathname: PATHS.help, hash: 'going-live' }}>all steps</Link>
        ):
      </Text>
      <Text size="sm" mt="sm">
        The return address
      </Text>
      <Paste what={`the return address for ${name}`} text={facts.return_address} />
      {facts.hooks.map(({ called, address }) => (
        <div key={address}>
          <Text size="sm">{called}</Text>
          <Paste what={`the address for ${called}`} text={address} />
        </div>
      ))}
      <Text size="sm" mt="sm">
        The permissions
      </Text>
      <ul>
        {scopes.map(([scope, why]) => (
          <li key={scope}>
            <Text size="sm">
              <code>{scope}</code>: {why}
            </Text>
          </li>
        ))}
      </ul>
    </div>
  )
}

import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { NewApiKey } from '#contract/api-keys.ts'
import { OAUTH_KEY_DAYS } from '#contract/limits.ts'
import type { AuthorizationRequest } from '#contract/oauth.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { queryClient, userQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { PATHS } from '#web/lib/paths.ts'
import { serverNow } from '#web/lib/server-time.ts'
import { Card } from '#web/ui/card.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { QueryError } from '#web/ui/query-error.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { apiKeysQuery } from './api-key-queries.ts'
import classes from './connect.module.css'
import { type KeyRights, KeyRightsFields, toRequestRights } from './key-rights-fields.tsx'

/** What a program sent the user with: a code that it shows, or the query of its own link. */
type AccessRequest = { readonly user_code: string } | { readonly query: string }

/** A user lets a program in, or not. */
export default function ConnectScreen() {
  const { search } = useLocation()
  const [parameters, setParameters] = useSearchParams()
  const code = parameters.get('code') ?? ''
  const isLink = parameters.has('client_id') || parameters.has('response_type')
  return (
    <>
      <PageHeader title="Connect a program" />
      <Card className={classes.card}>
        {isLink ? (
          <Consent key={search} request={{ query: search }} />
        ) : code === '' ? (
          <CodeForm onCode={(typed) => setParameters({ code: typed })} />
        ) : (
          <Consent key={code} request={{ user_code: code }} onOtherCode={() => setParameters({})} />
        )}
      </Card>
    </>
  )
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const [code, setCode] = useState('')
  const [error, setError] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() !== '') return onCode(code.trim())
        setError('Type the code.')
        return input.current?.focus()
      }}
    >
      <Stack>
        <TextInput
          ref={input}
          label="Code"
          description="The program shows it where you started it, such as BCDF-GHJK."
          classNames={{ input: classes.code ?? '' }}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={40}
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            setError(null)
          }}
          error={error}
        />
        <Group justify="flex-end">
          <Button type="submit">Continue</Button>
        </Group>
      </Stack>
    </form>
  )
}

const programQuery = (request: AccessRequest) =>
  queryOptions({
    queryKey: ['authorization request', request],
    queryFn: ({ signal }) => call('getAuthorizationRequest', { body: { request }, signal }),
    // A code that was used is unknown to the server; the screen says by itself what became of it.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

type ConsentProps = { request: AccessRequest; onOtherCode?: () => void }

function Consent({ request, onOtherCode }: ConsentProps) {
  const program = useQuery(programQuery(request))
  const [decided, setDecided] = useState<Decision | null>(null)
  const decide = (made: Decision) => {
    setDecided(made)
    focusPage()
  }
  if (decided && program.data) return <Done program={program.data} decided={decided} />
  if (program.data)
    return (
      <ConsentForm
        request={request}
        program={program.data}
        onDecided={decide}
        {...(onOtherCode && { onOtherCode })}
      />
    )
  if (!program.error) return <FieldsSkeleton heights={[20, 60, 120]} />
  const isRefused = program.error instanceof ApiProblem && program.error.kind === 'refused'
  if (!isRefused)
    return <QueryError query={program}>{messageOf(program.error, TEXTS.unknownError)}</QueryError>
  return (
    <Stack>
      <InlineAlert>{program.error.message}</InlineAlert>
      {onOtherCode && (
        <Group justify="flex-end">
          <Button variant="default" onClick={onOtherCode}>
            Type another code
          </Button>
        </Group>
      )}
    </Stack>
  )
}

type Decision = 'approved' | 'declined'
type FormProps = ConsentProps & { program: AuthorizationRequest; onDecided: (decided: Decision) => void }
type Errors = { scopes?: string | undefined; limited_to?: string | undefined }

function ConsentForm({ request, program, onDecided, onOtherCode }: FormProps) {
  const zone = useOwnZone()
  const user = useQuery(userQuery)
  const element = useRef<HTMLFormElement>(null)
  const [rights, setRights] = useState<KeyRights>({
    scopes: program.scopes,
    isLimited: false,
    limit: { brand_ids: [], account_ids: [] },
  })
  const [invalid, setInvalid] = useState<Errors>({})
  const finish = (decided: Decision) => (answer: { redirect_to: string | null }) => {
    onDecided(decided)
    // Back would lead to a question that is answered.
    if (answer.redirect_to !== null) location.replace(answer.redirect_to)
  }
  const approve = useMutation({
    mutationFn: (body: Pick<NewApiKey, 'scopes' | 'limited_to'>) =>
      call('approveAuthorization', { body: { request, ...body } }),
    onSuccess: finish('approved'),
    onSettled: () => void queryClient.invalidateQueries(apiKeysQuery),
  })
  const decline = useMutation({
    mutationFn: () => call('declineAuthorization', { body: { request } }),
    onSuccess: finish('declined'),
  })
  const isBusy = approve.isPending || decline.isPending
  const error = approve.error ?? decline.error
  const isLimitGone =
    rights.isLimited && approve.error instanceof ApiProblem && approve.error.code === 'not_found'
  const submit = () => {
    decline.reset()
    const parsed = RIGHTS.safeParse(toRequestRights(rights))
    if (parsed.success) return approve.mutate(parsed.data)
    const found: Errors = {}
    for (const { path, message } of parsed.error.issues)
      found[path[0] === 'scopes' ? 'scopes' : 'limited_to'] ??= message
    setInvalid(found)
    const first = found.scopes === undefined ? 'limited_to' : 'scopes'
    return element.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] input`)?.focus()
  }
  const until = dateOf(new Date(serverNow() + OAUTH_KEY_DAYS * 86_400_000).toISOString(), zone)
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
    >
      <Stack>
        <h2 className={classes.title}>
          <bdi>{program.client_name}</bdi> wants to use Reelay in your name
        </h2>
        <InlineAlert tone="attention" title="Only if you started this yourself." live={false}>
          {'user_code' in request
            ? 'Somebody else may have sent you here to get into your account. Check that your program shows the code below.'
            : "Any program can call itself what it likes. Check the addresses below, which it can't make up."}
        </InlineAlert>
        <ProgramFacts request={request} program={program} email={user.data?.email ?? null} />
        <KeyRightsFields
          rights={rights}
          errors={invalid}
          onChange={(chosen, field) => {
            setRights(chosen)
            setInvalid(({ [field]: _gone, ...others }) => others)
            approve.reset()
          }}
        />
        <Text c="dimmed" size="xs">
          It works until {until}, or until you delete it under API keys in your{' '}
          <Link to={PATHS.settings}>settings</Link>.
        </Text>
        {error && (
          <InlineAlert
            actions={
              onOtherCode &&
              !isLimitGone &&
              error instanceof ApiProblem &&
              error.code === 'not_found' && (
                <Button size="xs" variant="default" onClick={onOtherCode}>
                  Type another code
                </Button>
              )
            }
          >
            {messageOf(error, TEXTS.unknownError)}
            {isUnanswered(error) && ' Your choice may have reached the server: look at the program first.'}
          </InlineAlert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            loading={decline.isPending}
            disabled={isBusy}
            onClick={() => {
              approve.reset()
              decline.mutate()
            }}
          >
            Decline
          </Button>
          <Button type="submit" loading={approve.isPending} disabled={isBusy}>
            Allow
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const RIGHTS = NewApiKey.pick({ scopes: true, limited_to: true })

/** Shows the facts by which a user can tell who asks. */
function ProgramFacts({
  request,
  program,
  email,
}: {
  request: AccessRequest
  program: AuthorizationRequest
  email: string | null
}) {
  const { client_host: clientHost, device_name: device, redirect_host: redirectHost } = program
  return (
    <dl className={classes.facts}>
      {'user_code' in request && (
        <Fact name="Code">
          <span className={classes.code}>{formatCode(request.user_code)}</span>
        </Fact>
      )}
      {device !== null && (
        <Fact name="Device">
          <bdi>{device}</bdi> <span className={classes.said}>(as it says itself)</span>
        </Fact>
      )}
      {'query' in request && (
        <Fact name="Its website">{clientHost ?? 'unknown: nobody vouches for its name'}</Fact>
      )}
      {redirectHost !== null && (
        <Fact name="Sends you to">
          {LOOPBACK.includes(redirectHost) ? 'a program on this computer' : redirectHost}
        </Fact>
      )}
      {email !== null && <Fact name="Your account">{email}</Fact>}
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Formats a code as the program shows it, however it was typed. */
const formatCode = (typed: string): string => {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

function Done({ program, decided }: { program: AuthorizationRequest; decided: Decision }) {
  const name = <bdi>{program.client_name}</bdi>
  const next =
    program.redirect_host === null
      ? 'You can close this page and go back to where you started.'
      : 'You are sent back to it now.'
  return (
    <Stack>
      <h2 className={classes.title}>
        {decided === 'approved' ? <>{name} may use Reelay</> : <>{name} may not use Reelay</>}
      </h2>
      <Text>
        {next}{' '}
        {decided === 'approved' && (
          <>
            You find its key under API keys in your <Link to={PATHS.settings}>settings</Link>.
          </>
        )}
      </Text>
    </Stack>
  )
}

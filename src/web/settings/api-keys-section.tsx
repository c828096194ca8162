import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleX, IconClock } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import type { ApiKey, KeyLimit } from '#contract/api-keys.ts'
import { API_PAGE } from '#contract/http/addresses.ts'
import { KEY_SCOPES, type KeyScope } from '#contract/http/key-rights.ts'
import { API_KEYS_MAX } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { accountsQuery, brandsQuery, queryClient } from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf, dayOf, timeOfDay } from '#web/lib/moments.ts'
import { useNow } from '#web/lib/use-now.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { announce } from '#web/ui/announce.tsx'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { Badge, type Look } from '#web/ui/status.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { apiKeysQuery } from './api-key-queries.ts'
import { NewApiKeyDialog } from './new-api-key-dialog.tsx'
import { LoadedRows, Row } from './settings-section.tsx'
import classes from './api-keys.module.css'

/** Older keys fold, and so do the brands and accounts of one key. */
const SHOWN_KEYS = 5
const SHOWN_NAMES = 4
/** From here on the end of a key is near. */
const NEAR_DAYS = 14
const DAY_MS = 86_400_000

/** The rows of the settings' section about API keys. */
export default function ApiKeys() {
  return <LoadedRows query={useQuery(apiKeysQuery)}>{(keys) => <KeyRows keys={keys} />}</LoadedRows>
}

function KeyRows({ keys }: { keys: readonly ApiKey[] }) {
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isUnfolded, setUnfolded] = useState(false)
  const isFull = keys.length >= API_KEYS_MAX
  const newKey = (
    <Button ref={opener} variant="default" disabled={isFull} onClick={() => setOpen(true)}>
      New key
    </Button>
  )
  const shown = isUnfolded || keys.length <= SHOWN_KEYS + 1 ? keys : keys.slice(0, SHOWN_KEYS)
  return (
    <>
      {keys.length === 0 ? (
        <CenteredMessage
          text="You have no keys yet."
          action={
            <Stack align="center" gap="sm">
              {newKey}
              <Text c="dimmed" size="xs">
                What programs can do with them is in the <ApiDescription />.
              </Text>
            </Stack>
          }
        />
      ) : (
        <Row title={counted(keys.length, 'key')} actions={newKey}>
          <Text c="dimmed" size="xs">
            {isFull ? (
              `You can have ${API_KEYS_MAX} keys. Delete one to make another.`
            ) : (
              <>
                What programs can do with them is in the <ApiDescription />.
              </>
            )}
          </Text>
        </Row>
      )}
      {shown.map((key) => (
        <KeyRow key={key.key_id} apiKey={key} />
      ))}
      {shown.length < keys.length && (
        <Box px="xs" py="xs">
          <Button variant="subtle" size="compact-sm" onClick={() => setUnfolded(true)}>
            Show all {keys.length} keys
          </Button>
        </Box>
      )}
      {isOpen && (
        <NewApiKeyDialog
          onClose={() => {
            setOpen(false)
            opener.current?.focus()
          }}
        />
      )}
    </>
  )
}

const ApiDescription = () => (
  <a href={API_PAGE} target="_blank" rel="noreferrer">
    description of the API
  </a>
)

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  const { key_id, name, prefix, scopes, limited_to, status } = apiKey
  const deleter = useRef<HTMLButtonElement>(null)
  const [isAsking, setAsking] = useState(false)
  const zone = useOwnZone()
  const now = useNow()
  const expiry = expiryOf(apiKey, { zone, now })
  const remove = useMutation({
    mutationFn: () => call('deleteApiKey', { params: { keyId: key_id } }),
    onSuccess: () => {
      queryClient.setQueryData(apiKeysQuery.queryKey, (keys) => keys?.filter((one) => one.key_id !== key_id))
      focusPage()
      announce({ kind: 'done', message: `${name} is deleted.` })
    },
    // Another tab may have deleted it.
    onError: () => queryClient.invalidateQueries(apiKeysQuery),
  })
  return (
    <Row
      title={name}
      actions={
        <Button
          ref={deleter}
          variant="default"
          color="failed"
          aria-label={`Delete ${name}`}
          aria-expanded={isAsking}
          onClick={() => setAsking(true)}
        >
          Delete…
        </Button>
      }
      below={
        <>
          {status === 'active' && apiKey.lacks.length > 0 && (
            <NewKinds apiKey={apiKey} onAllowed={() => deleter.current?.focus()} />
          )}
          {isAsking && (
            <Confirm
              question={
                status === 'active'
                  ? `Delete ${name}? Scripts that use it stop working at once.`
                  : `Delete ${name}? It has stopped working already.`
              }
              action="Delete key"
              asker={deleter}
              busy={remove.isPending}
              failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
              onConfirm={() => remove.mutate()}
              onKeep={() => {
                setAsking(false)
                remove.reset()
              }}
            />
          )}
        </>
      }
    >
      <Stack gap="0.25rem" c="dimmed" fz="xs" lh="xs">
        <p>
          <code className={classes.code}>{prefix}…</code> · {describeScopes(scopes)}
        </p>
        {limited_to === null ? <p>All brands and accounts</p> : <Reached limit={limited_to} />}
        <Group component="p" gap="0 0.75rem">
          <span>{describeLastUse(apiKey, { zone, now })}</span>
          {typeof expiry === 'string' ? <span>{expiry}</span> : <Badge {...expiry} />}
          {status === 'ended' && <span>Your password was changed, or you were logged out everywhere.</span>}
        </Group>
      </Stack>
    </Row>
  )
}

const SCOPE_VERBS: Readonly<Record<KeyScope, string>> = { read: 'see', write: 'change', publish: 'publish' }

/** "Can see, change and publish" */
const describeScopes = (scopes: readonly KeyScope[]): string =>
  `Can ${new Intl.ListFormat('en-GB').format(KEY_SCOPES.filter((one) => scopes.includes(one)).map((one) => SCOPE_VERBS[one]))}`

type Clock = { readonly zone: string; readonly now: number }

const daysUntil = (at: string, { zone, now }: Clock): number =>
  (Date.parse(dayOf(at, zone)) - Date.parse(dayOf(new Date(now).toISOString(), zone))) / DAY_MS

function describeLastUse({ last_used_at: at }: ApiKey, clock: Clock): string {
  if (at === null) return 'Never used'
  switch (daysUntil(at, clock)) {
    case 0:
      return `Last used today, ${timeOfDay(at, clock.zone)}`
    case -1:
      return `Last used yesterday, ${timeOfDay(at, clock.zone)}`
    default:
      return `Last used on ${dateOf(at, clock.zone)}`
  }
}

/** When a key ends or why it has; a badge where that matters now. */
function expiryOf({ status, expires_at: at }: ApiKey, clock: Clock): string | Look {
  if (status === 'ended') return { tone: 'failed', Icon: IconCircleX, word: 'Ended' }
  if (at === null) return 'Does not expire'
  if (status === 'expired' || Date.parse(at) <= clock.now)
    return { tone: 'failed', Icon: IconCircleX, word: `Expired on ${dateOf(at, clock.zone)}` }
  const days = daysUntil(at, clock)
  if (days >= NEAR_DAYS) return `Expires on ${dateOf(at, clock.zone)}`
  const when =
    days === 0 ? `today at ${timeOfDay(at, clock.zone)}` : days === 1 ? 'tomorrow' : `in ${days} days`
  return { tone: 'attention', Icon: days <= 1 ? IconAlertTriangle : IconClock, word: `Expires ${when}` }
}

/** The brands and accounts of a limited key. */
function Reached({ limit: { brand_ids, account_ids } }: { limit: KeyLimit }) {
  const [isUnfolded, setUnfolded] = useState(false)
  const brands = useQuery(brandsQuery).data
  const accounts = useQuery(accountsQuery()).data
  if (!brands || !accounts)
    return <p>Only {describeLimit({ brands: brand_ids.length, accounts: account_ids.length })}</p>
  const names: { id: string; name: ReactNode }[] = [
    ...brands
      .filter(({ brand_id }) => brand_ids.includes(brand_id))
      .map((brand) => ({
        id: `brand ${brand.brand_id}`,
        name: (
          <span className={classes.brandName}>
            <BrandMark {...brandLook(brand)} size="small" />
            <bdi>{brand.title}</bdi>
          </span>
        ),
      })),
    ...accounts
      .filter(({ account_id }) => account_ids.includes(account_id))
      .map((account) => ({ id: `account ${account.account_id}`, name: <AccountName of={account} /> })),
  ]
  const gone = brand_ids.length + account_ids.length - names.length
  const shown = isUnfolded || names.length <= SHOWN_NAMES + 1 ? names : names.slice(0, SHOWN_NAMES)
  return (
    <Group component="ul" gap="0.25rem 0.75rem" aria-label="Reaches only">
      {names.length > 0 && (
        <li className={classes.only} aria-hidden="true">
          Only
        </li>
      )}
      {shown.map(({ id, name }) => (
        <li key={id} className={classes.only}>
          {name}
        </li>
      ))}
      {shown.length < names.length && (
        <li>
          <Button variant="subtle" color="accent" size="compact-xs" ml={-7} onClick={() => setUnfolded(true)}>
            and {names.length - shown.length} more
          </Button>
        </li>
      )}
      {gone > 0 && (
        <li>
          {names.length === 0
            ? 'Reaches nothing: what it was made for is gone'
            : `and ${gone} that ${gone === 1 ? 'is' : 'are'} gone`}
        </li>
      )}
    </Group>
  )
}

const describeLimit = ({ brands, accounts }: { brands: number; accounts: number }): string =>
  [brands > 0 && counted(brands, 'brand'), accounts > 0 && counted(accounts, 'account')]
    .filter(Boolean)
    .join(' and ')

/** What the API got after the key was made, which it does not reach until it is allowed. */
function NewKinds({ apiKey: { key_id, name, lacks }, onAllowed }: { apiKey: ApiKey; onAllowed: () => void }) {
  const extend = useMutation({
    mutationFn: () => call('extendApiKey', { params: { keyId: key_id } }),
    onSuccess: (extended) => {
      onAllowed()
      queryClient.setQueryData(apiKeysQuery.queryKey, (keys) =>
        keys?.map((one) => (one.key_id === key_id ? extended : one)),
      )
      announce({ kind: 'done', message: `${name} may reach them now.` })
    },
    onError: () => queryClient.invalidateQueries(apiKeysQuery),
  })
  return (
    <InlineAlert
      tone={extend.error ? 'failed' : 'note'}
      live={extend.error !== null}
      actions={
        <Button
          size="xs"
          variant="default"
          aria-label={`Allow ${name}: ${lacks.join(', ')}`}
          loading={extend.isPending}
          onClick={() => extend.mutate()}
        >
          Allow
        </Button>
      }
    >
      {extend.error
        ? messageOf(extend.error, TEXTS.unknownError)
        : `New since it was made, and not allowed yet: ${lacks.join(', ')}`}
    </InlineAlert>
  )
}

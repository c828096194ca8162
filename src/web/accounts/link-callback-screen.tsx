import { useEffect } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { type Account, accountOnPlatform } from '#contract/accounts.ts'
import type { BrandId } from '#contract/ids.ts'
import { PLATFORM_NAMES, PlatformId } from '#contract/platforms/index.ts'
import { LABELS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_ACCOUNTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { type AccountsState, PATHS } from '#web/lib/paths.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { readReturn, readStoredLink, removeStoredLink } from '#web/platforms/kit/link-flow.ts'
import { type Announcement, announce } from '#web/ui/announce.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'

/** The OAuth redirect target: finishes the link, then shows the result on the accounts screen. */
export function LinkCallbackScreen() {
  const platform = PlatformId.safeParse(useParams()['platform'])
  return platform.success ? <Finishing platform={platform.data} /> : <NoPlatform />
}

function Finishing({ platform }: { platform: PlatformId }) {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  useEffect(() => {
    let shown = true
    const end = (outcome: Outcome) => {
      if (!shown) return
      announce({ ...outcome.news, page: PATHS.accounts })
      const state: AccountsState | null = outcome.brandId === null ? null : { brandId: outcome.brandId }
      void queryClient.invalidateQueries(ANY_ACCOUNTS)
      void queryClient.invalidateQueries(brandsQuery)
      void navigate(PATHS.accounts, { replace: true, state })
    }
    void attempt(platform, search).then(end)
    return () => {
      shown = false
    }
  }, [platform, search, navigate])
  return (
    <>
      <PageHeader title={LABELS.accounts} />
      <div aria-live="polite">
        <CenteredMessage text={PLATFORM_BRANDING[platform].processing} />
      </div>
    </>
  )
}

/** One attempt per address: the code can be used once, and React runs effects twice in development. */
const attempts = new Map<string, Promise<Outcome>>()
function attempt(platform: PlatformId, search: URLSearchParams): Promise<Outcome> {
  const address = `${platform}?${search.toString()}`
  const running =
    attempts.get(address) ?? finishLink(platform, search).finally(() => attempts.delete(address))
  attempts.set(address, running)
  return running
}

function NoPlatform() {
  return (
    <>
      <PageHeader title="Page not found" />
      <CenteredMessage text="This server doesn't support that platform." />
    </>
  )
}

/** The message for the user, and the brand whose accounts to show. */
type Outcome = { readonly news: Announcement; readonly brandId: BrandId | null }

/** Finishes what `goToConsent` started. Never rejects: every result becomes an outcome. */
async function finishLink(platform: PlatformId, search: URLSearchParams): Promise<Outcome> {
  const name = PLATFORM_NAMES[platform]
  const stored = readStoredLink(platform, search.get('state'))
  const { brandId } = stored
  const found = readReturn(search, stored)
  switch (found.kind) {
    case 'nothing':
      return { brandId, news: failed(`${name} didn't answer. Add the account again.`) }
    case 'mismatch':
      return {
        brandId,
        news: failed(
          `${name} answered a request that wasn't started in this browser. Add the account again.`,
        ),
      }
    case 'declined':
      return { brandId, news: { kind: 'note', message: `No account linked: you declined on ${name}.` } }
    case 'refused':
      return { brandId, news: failed(`${name} refused to link the account. ${found.reason}`.trim()) }
    case 'finish': {
      const { code, state } = found
      const body = { code, state, ...(brandId !== null && { brand_id: brandId }) }
      return call('finishLink', { params: { platform }, body }).then(
        (account) => {
          removeStoredLink(platform, state)
          return { brandId: account.brand_id, news: linked(account) }
        },
        (error: Error) => ({ brandId, news: failed(whyNot(error)) }),
      )
    }
  }
}

/** If the answer is lost, the account may be linked anyway. */
const whyNot = (error: Error): string =>
  error instanceof ApiProblem && (error.kind === 'unreachable' || error.kind === 'unreadable')
    ? `The server didn't answer (${error.message}). If the account isn't in the list, add it again.`
    : error.message

const failed = (message: string): Announcement => ({ kind: 'failed', message })

function linked(account: Account): Announcement {
  const who = accountOnPlatform(account)
  return account.can_publish
    ? { kind: 'done', message: `${who} is linked.` }
    : failed(
        `${who} is linked but can't post, because posting wasn't allowed. Link it again and allow posting.`,
      )
}

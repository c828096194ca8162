import { useEffect } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { PlatformId } from '#contract/platforms/index.ts'
import { LABELS } from '#contract/texts.ts'
import { PATHS, type AccountsState } from '#web/lib/paths.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { ANY_ACCOUNTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { DrawnMessage } from '#web/ui/drawn-message.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { finishLink, type Outcome } from './finish-link.ts'

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
        <EmptyState drawing="accounts" text={PLATFORM_BRANDING[platform].processing} />
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
      <DrawnMessage text="This server doesn't support that platform." />
    </>
  )
}

import { accountOnPlatform, type Account } from '#contract/accounts.ts'
import type { BrandId } from '#contract/ids.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { removeStoredLink, readStoredLink, readReturn } from '#web/platforms/kit/link-flow.ts'
import type { Announcement } from '#web/ui/announce.tsx'

/** The message for the user, and the brand whose accounts to show. */
export type Outcome = { readonly news: Announcement; readonly brandId: BrandId | null }

/** Finishes what `goToConsent` started. Never rejects: every result becomes an outcome. */
export async function finishLink(platform: PlatformId, search: URLSearchParams): Promise<Outcome> {
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

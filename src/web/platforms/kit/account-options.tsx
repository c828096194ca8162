import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Account } from '#contract/accounts.ts'
import { TEXTS } from '#contract/texts.ts'
import { refusalOf } from '#web/api/api.ts'
import { accountOptionsQuery, settingsQuery } from '#web/api/queries.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS } from '#web/lib/paths.ts'

/** `none`: there is no account, or its options are not needed. */
export function useAccountOptions(account: Account | null) {
  const settings = useQuery(settingsQuery)
  const query = useQuery(accountOptionsQuery(account?.account_id ?? null))
  const platform = settings.data?.platforms.find(({ id }) => id === account?.platform)
  const auditForm = platform?.audit_form ?? false
  if (account === null) return { kind: 'none', options: null, auditForm } as const
  // Known options stay while they are refetched, even if that fails.
  if (query.data) return { kind: 'known', options: query.data, auditForm } as const
  if (query.status === 'error') {
    const retry = () => void query.refetch()
    return { kind: 'failed', options: null, auditForm, error: query.error, retry } as const
  }
  return { kind: 'pending', options: null, auditForm } as const
}

export function AccountOptionsError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <InlineAlert
      actions={
        <>
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
          <Button size="xs" variant="default" component={Link} to={PATHS.accounts}>
            Go to accounts
          </Button>
        </>
      }
    >
      {refusalOf(error) ?? (
        <>
          <strong>Couldn't load this account's options.</strong> {messageOf(error, TEXTS.unknownError)}
        </>
      )}
    </InlineAlert>
  )
}

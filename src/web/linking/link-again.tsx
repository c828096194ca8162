import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { accountName } from '#contract/accounts.ts'
import type { AccountId, BrandId } from '#contract/ids.ts'
import type { OptionalPermission, PlatformId } from '#contract/platforms/index.ts'
import { goToConsent } from './link-flow.ts'

type Linked = Parameters<typeof accountName>[0] & {
  readonly platform: PlatformId
  readonly account_id: AccountId
}

/** Sends the user to the platform to link this account again. `permissions`: asked for beside what it has granted. */
export function useLinkAgain(
  account: Linked,
  brandId: BrandId,
  permissions: readonly OptionalPermission[] = [],
) {
  const { platform, account_id: accountId } = account
  const going = useMutation({ mutationFn: () => goToConsent({ platform, brandId, accountId, permissions }) })
  return {
    error: going.error,
    /** Props of the button. */
    button: {
      'aria-label': `Link again: ${accountName(account)}`,
      loading: going.isPending || going.isSuccess,
      onClick: () => going.mutate(),
    },
  }
}

export const LinkAgainButton = (props: ReturnType<typeof useLinkAgain>['button']) => (
  <Button size="xs" variant="default" {...props}>
    Link again
  </Button>
)

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { accountOnPlatform, type Account } from '#contract/accounts.ts'
import type { AccountId, BrandId } from '#contract/ids.ts'
import type { OptionalPermission } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { goToConsent } from './link-flow.ts'

type Linked = Parameters<typeof accountOnPlatform>[0] & {
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
      'aria-label': `Link again: ${accountOnPlatform(account)}`,
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

type AllowProps = {
  readonly account: Account
  readonly permission: OptionalPermission
  /** The permission's name in the text, such as "drafts". */
  readonly what: string
  readonly disabled: boolean
}

/** Links the account again with a permission that its owner has not granted. */
export function LinkAgainToAllow({ account, permission, what, disabled }: AllowProps) {
  const again = useLinkAgain(account, account.brand_id, [permission])
  const label = `Link again to allow ${what}`
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        disabled={disabled}
        {...again.button}
        aria-label={`${label}: ${accountOnPlatform(account)}`}
      >
        {label}
      </Button>
      {again.error && <span role="alert"> {messageOf(again.error, TEXTS.unknownError)}</span>}
    </>
  )
}

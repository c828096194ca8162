import { VisuallyHidden } from '@mantine/core'
import { type Account, accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import { PLATFORM_BRANDING } from './branding.tsx'
import classes from './account-name.module.css'

/** An account, or a delivery to one. */
type Named = Pick<Account, 'platform' | 'username' | 'display_name' | 'avatar_url'>

/** An account's picture with the mark of its platform at its corner. The text beside it names both. */
export function AccountAvatar({ of: account, large = false }: { of: Named; large?: boolean }) {
  const { Mark } = PLATFORM_BRANDING[account.platform]
  return (
    <span className={classes.avatar} data-large={large || undefined} aria-hidden="true">
      <Avatar url={account.avatar_url} name={accountName(account).replace('@', '')} />
      <Mark />
    </span>
  )
}

/** An account's picture and name; the platform's name is for screen readers. */
export const AccountName = ({ of: account }: { of: Named }) => (
  <span className={classes.account} title={PLATFORM_NAMES[account.platform]}>
    <AccountAvatar of={account} />
    <VisuallyHidden>{PLATFORM_NAMES[account.platform]} </VisuallyHidden>
    <bdi className={classes.name}>{accountName(account)}</bdi>
  </span>
)

import { VisuallyHidden } from '@mantine/core'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import type { ResultsAccount } from '#contract/results.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import classes from './results.module.css'

/** The head of an account's column. */
export const AccountHead = ({ of: account }: { of: ResultsAccount }) => (
  <th scope="col" title={accountOnPlatform(account)}>
    <span className={classes.head}>
      <AccountAvatar of={account} />
      <VisuallyHidden>{PLATFORM_NAMES[account.platform]} </VisuallyHidden>
      <bdi>{accountName(account)}</bdi>
    </span>
  </th>
)

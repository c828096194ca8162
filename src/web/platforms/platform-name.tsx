import { VisuallyHidden } from '@mantine/core'
import { accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { PLATFORM_BRANDING } from './branding.tsx'
import classes from './platform-name.module.css'

export function PlatformName({ platform }: { platform: PlatformId }) {
  const { Mark } = PLATFORM_BRANDING[platform]
  return (
    <span className={classes.platform}>
      <Mark />
      {PLATFORM_NAMES[platform]}
    </span>
  )
}

type Named = Parameters<typeof accountName>[0] & { readonly platform: PlatformId }

/** An account's platform mark and name; the platform's name is for screen readers. */
export function Handle({ of: account }: { of: Named }) {
  const { platform } = account
  const { Mark } = PLATFORM_BRANDING[platform]
  return (
    <span className={classes.platform} title={PLATFORM_NAMES[platform]}>
      <Mark />
      <VisuallyHidden>{PLATFORM_NAMES[platform]} </VisuallyHidden>
      <span className={classes.handle}>{accountName(account)}</span>
    </span>
  )
}

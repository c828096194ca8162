import { accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { PLATFORM_LOOKS } from './branding.tsx'
import classes from './platform-name.module.css'

/** A platform by its mark and its word. */
export function PlatformName({ platform }: { platform: PlatformId }) {
  const { Mark } = PLATFORM_LOOKS[platform]
  return (
    <span className={classes.platform}>
      <Mark />
      {PLATFORM_NAMES[platform]}
    </span>
  )
}

type Named = Parameters<typeof accountName>[0] & { readonly platform: PlatformId }

/** An account by its platform's mark and what it goes by; the platform's word is there for those who do not see the mark. */
export function Handle({ of: account }: { of: Named }) {
  const { platform } = account
  const { Mark } = PLATFORM_LOOKS[platform]
  return (
    <span className={classes.platform} title={PLATFORM_NAMES[platform]}>
      <Mark />
      <span className={classes.unseen}>{PLATFORM_NAMES[platform]} </span>
      <span className={classes.handle}>{accountName(account)}</span>
    </span>
  )
}

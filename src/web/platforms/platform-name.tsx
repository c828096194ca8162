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

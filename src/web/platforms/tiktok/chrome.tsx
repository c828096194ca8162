import { IconBookmark, IconHeart, IconMessageCircle, IconMusic, IconShare3 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import classes from '#web/platforms/kit/kit.module.css'

const RAIL = [IconHeart, IconMessageCircle, IconBookmark, IconShare3]

/** Our assumption, from what creators' guides give for 1080 × 1920: 131 px above, 370 below, 120 right, 60 left. */
export const tiktokSafeArea = { top: 0.068, right: 0.111, bottom: 0.193, left: 0.056 }

/** The feed of TikTok's app as a plain drawing. */
export const TikTokChrome = ({ account, caption }: { account: Account; caption: ReactNode }) => (
  <>
    <div className={classes.tabs} aria-hidden="true">
      <span>Following</span>
      <span data-current>For You</span>
    </div>
    <div className={classes.rail} aria-hidden="true">
      {RAIL.map((Icon, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- the list never changes
        <Icon key={place} size={22} stroke={1.75} />
      ))}
    </div>
    <div className={classes.words}>
      <p className={classes.name}>{account.username ?? account.display_name}</p>
      {caption}
      <p className={classes.sound}>
        <IconMusic size={14} stroke={1.75} aria-hidden="true" />
        <span>original sound · {account.display_name}</span>
      </p>
    </div>
    <span className={classes.position} aria-hidden="true" />
  </>
)

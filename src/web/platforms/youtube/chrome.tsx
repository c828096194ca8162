import {
  IconDotsVertical,
  IconMessageCircle,
  IconRepeat,
  IconSearch,
  IconShare3,
  IconThumbDown,
  IconThumbUp,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import classes from '#web/platforms/kit/kit.module.css'

const RAIL = [IconThumbUp, IconThumbDown, IconMessageCircle, IconShare3, IconRepeat]

/** Our assumption, from what guides for vertical ads give for 1080 × 1920: 288 px above, 672 below, 192 right, 48 left. */
export const youtubeSafeArea = { top: 0.15, right: 0.178, bottom: 0.35, left: 0.044 }

/** The Shorts of YouTube's app as a plain drawing. They show the title. */
export const YouTubeChrome = ({ account, caption }: { account: Account; caption: ReactNode }) => (
  <>
    <div className={classes.bar} aria-hidden="true">
      <strong>Shorts</strong>
      <span className={classes.barIcons}>
        <IconSearch size={20} stroke={1.75} />
        <IconDotsVertical size={20} stroke={1.75} />
      </span>
    </div>
    <div className={classes.rail} data-dense aria-hidden="true">
      {RAIL.map((Icon, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- the list never changes
        <Icon key={place} size={22} stroke={1.75} />
      ))}
    </div>
    <div className={classes.words}>
      <div className={classes.author}>
        <Avatar url={account.avatar_url} name={account.username ?? account.display_name} />
        <p className={classes.name}>
          {account.username === null ? account.display_name : `@${account.username}`}
        </p>
        <span className={classes.subscribe} aria-hidden="true">
          Subscribe
        </span>
      </div>
      {caption}
    </div>
    <span className={classes.position} aria-hidden="true" />
  </>
)

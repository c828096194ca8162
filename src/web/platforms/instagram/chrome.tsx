import { IconCamera, IconDots, IconHeart, IconMessageCircle, IconMusic, IconSend } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import classes from '#web/platforms/kit/kit.module.css'

const RAIL = [IconHeart, IconMessageCircle, IconSend, IconDots]

/** Our assumption, from Meta's guide for ads in Reels: 14 % above, 35 % below and 6 % at the sides stay free of text. */
export const instagramSafeArea = { top: 0.14, right: 0.06, bottom: 0.35, left: 0.06 }

/** The reels of Instagram's app as a plain drawing. */
export const InstagramChrome = ({ account, caption }: { account: Account; caption: ReactNode }) => (
  <>
    <div className={classes.bar} aria-hidden="true">
      <strong>Reels</strong>
      <IconCamera size={22} stroke={1.75} />
    </div>
    <div className={classes.rail} aria-hidden="true">
      {RAIL.map((Icon, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- the list never changes
        <Icon key={place} size={22} stroke={1.75} />
      ))}
    </div>
    <div className={classes.words}>
      <div className={classes.author}>
        <Avatar url={account.avatar_url} name={account.username ?? account.display_name} />
        <p className={classes.name}>{account.username ?? account.display_name}</p>
        <span className={classes.follow} aria-hidden="true">
          Follow
        </span>
      </div>
      {caption}
      <p className={classes.sound}>
        <IconMusic size={14} stroke={1.75} aria-hidden="true" />
        <span>{account.username ?? account.display_name} · Original audio</span>
      </p>
    </div>
  </>
)

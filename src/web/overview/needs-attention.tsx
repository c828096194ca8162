import { IconLinkOff } from '@tabler/icons-react'
import { useRef } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import type { Overview } from '#contract/overview.ts'
import { TEXTS } from '#contract/texts.ts'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { PATHS } from '#web/lib/paths.ts'
import { DeliveryProblem } from '#web/posts/delivery-problem.tsx'
import { FollowUpProblems, needsFollowUp } from '#web/posts/follow-up-problem.tsx'
import { timeOfPost } from '#web/posts/post.ts'
import { Avatar } from '#web/ui/avatar.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { focusPage } from '#web/ui/page-region.ts'
import { Handle } from '#web/platforms/platform-name.tsx'
import { Badge } from '#web/ui/status.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import classes from './overview.module.css'
import { inQueue, More, moreThan, OverviewSection } from './overview-section.tsx'
import { ACCOUNTS_SHOWN, PostLine } from './post-line.tsx'

type Props = Pick<Overview, 'relink' | 'attention'> & { zone: string; now: number }

const NEEDS_USER: ReadonlySet<Delivery['status']> = new Set(['failed', 'unconfirmed', 'blocked'])
const needsUser = (delivery: Delivery): boolean =>
  (NEEDS_USER.has(delivery.status) && delivery.settled === null) || needsFollowUp(delivery)

/** The accounts and posts that need the user; hidden if there are none. */
export function NeedsAttention({ relink, attention, zone, now }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const posts = attention.posts
    .map((post) => ({ post, troubled: post.deliveries.filter(needsUser) }))
    // A live update may have resolved the last of them.
    .filter(({ troubled }) => troubled.length > 0)
  const left = relink.accounts.length + posts.reduce((sum, { troubled }) => sum + troubled.length, 0)
  if (left === 0) return null
  const morePosts = moreThan(attention)
  const moreAccounts = relink.total - relink.accounts.length
  return (
    <OverviewSection title="Needs attention" id="needs-attention" heading={heading}>
      <ul className={classes.wide}>
        {relink.accounts.map((account) => (
          <AccountLine key={account.account_id} account={account} />
        ))}
        {posts.map(({ post, troubled }) => (
          <PostLine
            key={post.post_id}
            post={post}
            deliveries={troubled}
            when={timeOfPost(post, { zone, now })}
          >
            {troubled.slice(0, ACCOUNTS_SHOWN).map((delivery) => {
              const shared = {
                delivery,
                named: troubled.length > 1,
                // The whole section disappears with the last one.
                onActionDone: () => (left > 1 ? heading.current?.focus() : focusPage()),
              }
              return needsFollowUp(delivery) ? (
                <FollowUpProblems key={delivery.delivery_id} {...shared} />
              ) : (
                <DeliveryProblem key={delivery.delivery_id} {...shared} brandId={post.brand_id} zone={zone} />
              )
            })}
          </PostLine>
        ))}
      </ul>
      {moreAccounts > 0 && <More to={PATHS.accounts}>{moreAccounts} more accounts to link again</More>}
      {morePosts !== null && <More to={inQueue('attention')}>{morePosts} more in the queue</More>}
    </OverviewSection>
  )
}

function AccountLine({ account }: { account: Account }) {
  const { health } = account
  const again = useLinkAgain(account, account.brand_id)
  const name = accountName(account)
  return (
    <li className={classes.row} aria-label={name}>
      <div className={classes.head}>
        <Avatar url={account.avatar_url} name={account.username ?? account.display_name} />
        <div className={classes.what}>
          <h3 className={classes.name}>
            <Handle of={account} />
          </h3>
        </div>
        <div className={classes.deliveries}>
          <Badge tone="held" Icon={IconLinkOff} word="Link again" />
        </div>
      </div>
      <InlineAlert tone="held" live={false} actions={<LinkAgainButton {...again.button} />}>
        {health.status === 'relink' && <strong>{health.reason}</strong>} Its posts are on hold until you link
        it again.
      </InlineAlert>
      {again.error && <InlineAlert>{messageOf(again.error, TEXTS.unknownError)}</InlineAlert>}
    </li>
  )
}

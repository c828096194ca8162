import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery, FollowUp } from '#contract/deliveries.ts'
import type { PostDetail } from '#contract/posts.ts'
import { Card } from '#web/ui/card.tsx'
import { DeliveryBadge } from '#web/ui/status.tsx'
import { Handle } from '#web/platforms/platform-name.tsx'
import { CancelQuestion } from './cancel-question.tsx'
import { DeliveryProblem, hasProblem } from './delivery-problem.tsx'
import { FollowUpProblems, hasFollowUpProblem } from './follow-up-problem.tsx'
import { InboxNote, isInInbox } from './inbox-note.tsx'
import { OpenLink } from './open-link.tsx'
import { DeliveryEvents } from './delivery-events.tsx'
import classes from './post.module.css'

type Props = { delivery: Delivery; post: PostDetail; zone: string; now: number }

/** What became of the post at one account, and all that happened on the way. */
export function DeliverySection({ delivery, post, zone, now }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const [isAsking, setIsAsking] = useState(false)
  const focusHeading = () => heading.current?.focus()
  const text = post.targets.find(({ delivery_id }) => delivery_id === delivery.delivery_id)?.text
  const id = `account-${delivery.delivery_id}`
  // Where there is a problem, it has this button itself.
  const canCancel = delivery.actions.includes('cancel') && !hasProblem(delivery)
  return (
    <section aria-labelledby={id}>
      <Card className={classes.account ?? ''}>
        <div className={classes.accountHead}>
          <h2 id={id} ref={heading} tabIndex={-1} className={classes.heading}>
            <Handle of={delivery} />
          </h2>
          <DeliveryBadge of={delivery} />
          <span className={classes.next}>
            {delivery.url !== null && (
              <OpenLink delivery={delivery} url={delivery.url} className={classes.open} />
            )}
            {canCancel && !isAsking && (
              <Button
                ref={cancel}
                size="xs"
                variant="default"
                onClick={() => setIsAsking(true)}
                aria-label={`Cancel: ${accountOnPlatform(delivery)}`}
              >
                Cancel
              </Button>
            )}
          </span>
        </div>
        {isAsking && (
          <CancelQuestion
            delivery={delivery}
            named={post.deliveries.length > 1}
            asker={cancel}
            onKeep={() => setIsAsking(false)}
            onCancelled={() => {
              setIsAsking(false)
              focusHeading()
            }}
          />
        )}
        {hasProblem(delivery) && (
          <DeliveryProblem
            delivery={delivery}
            brandId={post.brand_id}
            named={false}
            zone={zone}
            onActionDone={focusHeading}
          />
        )}
        {isInInbox(delivery) && <InboxNote delivery={delivery} named={false} now={now} />}
        {hasFollowUpProblem(delivery) && (
          <FollowUpProblems delivery={delivery} named={false} onActionDone={focusHeading} />
        )}
        {text !== undefined && text !== post.text && (
          <>
            <h3 className={classes.label}>Caption for this account</h3>
            <p className={classes.caption}>{text.trim() || <em>No caption.</em>}</p>
          </>
        )}
        <FollowUps of={delivery.follow_ups} />
        <h3 className={classes.label}>Timeline</h3>
        <DeliveryEvents detail={post} of={delivery.delivery_id} zone={zone} />
      </Card>
    </section>
  )
}

/** What is added to the live post, and goes well; what does not is named above with what can be done. */
function FollowUps({ of }: { of: readonly FollowUp[] }) {
  const quiet = of.filter(({ needs_attention }) => !needs_attention)
  if (quiet.length === 0) return null
  return (
    <>
      <h3 className={classes.label}>After publishing</h3>
      <ul className={classes.followUps}>
        {quiet.map(({ kind, message }) => (
          <li key={kind}>{message}</li>
        ))}
      </ul>
    </>
  )
}

import { DELIVERY_STATES, type DeliveryStatus } from '#contract/deliveries.ts'
import { Status } from '#web/ui/status.tsx'
import classes from './help.module.css'

/** Each status as the queue shows it, and what it means. */
export function States() {
  return (
    <dl className={classes.states}>
      {DELIVERY_STATES.map((status) => (
        <div key={status} className={classes.state}>
          <dt>
            <Status status={status} />
          </dt>
          <dd>{MEANINGS[status]}</dd>
        </div>
      ))}
    </dl>
  )
}

const MEANINGS: Record<DeliveryStatus, string> = {
  scheduled:
    'Waiting for its time, or for other posts to go out first. Nothing has been sent yet. You can cancel it.',
  preparing:
    'The video is uploading to the platform. If the connection drops, the upload continues where it stopped. You can still cancel it.',
  committing: "Reelay is telling the platform to publish, once. You can't undo this.",
  processing:
    "The platform is processing the video, usually for a minute or two. There's nothing to do here.",
  published: "It's live. “Open on …” appears as soon as the platform gives us the link.",
  in_inbox:
    "It's a draft in the inbox of the account, not posted. Open the notification in the platform's app to finish the post. Once the platform tells us that it was posted, it becomes Published.",
  failed:
    "The platform refused it, or it couldn't be sent. It isn't live. The reason and what helps are shown below it; Retry sends it again.",
  blocked:
    "On hold, and not live: link the account again, wait because it reached its daily limit, or resume what you paused. It goes out once that's settled. One that was missed, or that is held after a restore of the server, goes out only if you say so; after a restore look at the account first.",
  unconfirmed:
    "The platform didn't answer when the post was published, so it may be live. Reelay keeps checking and never sends it twice. If you see it on the platform, press “It's live”. If you're sure it isn't there, press “It's not live: post again”.",
  cancelled: 'You cancelled it before it went out.',
}

import { DELIVERY_STATES, type DeliveryStatus } from '#contract/deliveries.ts'
import { Status } from '#web/components/display/status.tsx'
import classes from './help.module.css'

/** Each state as the queue shows it, what it means, and who does what next. */
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
  scheduled: 'It waits for its time or its turn. Nothing of it has left this server. You can cancel it.',
  preparing:
    'The video is on its way to the platform. If the connection breaks, it goes on where it stopped. You can still cancel it.',
  committing: 'The platform is being told to publish, once. This cannot be taken back.',
  processing: 'The platform has it and works on it, often for a minute or two. Nothing is left to do here.',
  published: 'It is live. “Open on …” leads to it as soon as the platform tells the address.',
  failed:
    'The platform said no, or it could not be sent. Nothing of it is live. The reason and what helps stand below it; Retry sends it again.',
  blocked:
    'Held, and nothing of it is live: the account must be linked again, or it has used up what it may post in a day. It goes out once that is settled.',
  unconfirmed:
    'The platform did not answer at the decisive moment, so it may be live. We keep asking and never send it twice. If you see it on the platform, press “It is there”; if you are sure that it is not, “It is not there: send again”.',
  cancelled: 'You took it back before it went out.',
}

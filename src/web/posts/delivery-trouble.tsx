import { Button } from '@mantine/core'
import { useRef, useState, type Ref } from 'react'
import { Link } from 'react-router'
import { accountName } from '#contract/accounts.ts'
import type { Delivery, DeliveryAction, Reason } from '#contract/deliveries.ts'
import { failureAnchor } from '#contract/help.ts'
import type { BrandId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { LinkAgainButton, useLinkAgain } from '#web/link-again.tsx'
import { PATHS } from '#web/paths.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { messageOf } from '#web/ui/message-of.ts'
import { dayAndTime } from '#web/ui/moments.ts'
import { Handle } from '#web/ui/platform-name.tsx'
import { Trouble } from '#web/ui/trouble.tsx'
import { CancelQuestion } from './cancel-question.tsx'
import { useMove } from './delivery-moves.ts'
import classes from './delivery-trouble.module.css'

type Props = {
  delivery: Delivery
  brandId: BrandId | null
  /** Say whose trouble it is, where the post has several accounts. */
  named: boolean
  zone: string
  /** The buttons are gone then; the focus needs another place. */
  onMoved: () => void
}

export const hasTrouble = ({ reason }: Delivery): boolean => reason !== null

/** Why a delivery waits or failed, what is certain, and what the user can do about it, in place. */
export function DeliveryTrouble({ delivery, brandId, named, zone, onMoved }: Props) {
  const { reason, status, due_at } = delivery
  const move = useMove(delivery, onMoved)
  const [asking, setAsking] = useState(false)
  const cancelButton = useRef<HTMLButtonElement>(null)
  if (reason === null) return null
  const goesOn = status === 'scheduled' && due_at !== null
  return (
    <>
      <Trouble
        tone={toneOf(delivery)}
        live={false}
        actions={
          delivery.actions.length > 0 && (
            <Actions
              delivery={delivery}
              brandId={brandId}
              move={move}
              cancelButton={cancelButton}
              onCancel={() => setAsking(true)}
            />
          )
        }
      >
        {named && (
          <span className={classes.whose}>
            <Handle of={delivery} />
          </span>
        )}
        <strong>{reason.message}</strong> {remedyOf(delivery)}
        {goesOn && ` The next try is ${dayAndTime(due_at, zone)}.`}
        {isSettled(delivery) && <MoreInHelp reason={reason} />}
        {reason.detail !== null && <RawAnswer code={reason.code} detail={reason.detail} />}
      </Trouble>
      {asking && (
        <CancelQuestion
          delivery={delivery}
          named={named}
          asker={cancelButton}
          onKeep={() => setAsking(false)}
          onCancelled={onMoved}
        />
      )}
      {move.error && <Trouble>{messageOf(move.error, TEXTS.unknownError)}</Trouble>}
    </>
  )
}

type ActionsProps = {
  delivery: Delivery
  brandId: BrandId | null
  move: ReturnType<typeof useMove>
  cancelButton: Ref<HTMLButtonElement>
  onCancel: () => void
}

function Actions({ delivery, brandId, move, cancelButton, onCancel }: ActionsProps) {
  return delivery.actions.map((action) =>
    action === 'link_again' ? (
      <LinkAgain key={action} delivery={delivery} brandId={brandId} />
    ) : (
      <Button
        key={action}
        {...(action === 'cancel' && { ref: cancelButton })}
        size="xs"
        variant="default"
        loading={move.isPending && move.variables === action}
        disabled={move.isPending}
        onClick={() => (action === 'cancel' ? onCancel() : move.mutate(action))}
        aria-label={`${WORDS[action]}: ${accountName(delivery)}`}
      >
        {WORDS[action]}
      </Button>
    ),
  )
}

const WORDS: Record<Exclude<DeliveryAction, 'link_again'>, string> = {
  retry: 'Retry',
  cancel: 'Cancel',
  resolve_live: 'It is there',
  resolve_not_live: 'It is not there: send again',
}

function LinkAgain({ delivery, brandId }: { delivery: Delivery; brandId: BrandId | null }) {
  return brandId === null ? (
    <Button size="xs" variant="default" component={Link} to={PATHS.accounts}>
      Go to accounts
    </Button>
  ) : (
    <GoToConsent delivery={delivery} brandId={brandId} />
  )
}

function GoToConsent({ delivery, brandId }: { delivery: Delivery; brandId: BrandId }) {
  const again = useLinkAgain(delivery, brandId)
  return (
    <>
      <LinkAgainButton {...again.button} />
      {again.error && <span role="alert">{messageOf(again.error, TEXTS.unknownError)}</span>}
    </>
  )
}

/** The platform's own words, for those who support it. */
function RawAnswer({ code, detail }: { code: string; detail: string }) {
  return (
    <details className={classes.raw}>
      <summary>Details</summary>
      <pre className={classes.answer}>
        {code}
        {'\n'}
        {detail}
      </pre>
      <CopyButton text={`${code}\n${detail}`} />
    </details>
  )
}

/** What happens next and what else it may be called; while the outcome is open, the trouble itself says more. */
const isSettled = ({ status }: Delivery) =>
  status === 'failed' || status === 'blocked' || status === 'scheduled'

const MoreInHelp = ({ reason }: { reason: Reason }) => (
  <>
    {' '}
    <Link
      to={{ pathname: PATHS.help, hash: failureAnchor(reason) }}
      aria-label={`What this means: ${reason.message}`}
    >
      What this means
    </Link>
  </>
)

/** While the outcome is open, what is certain matters more than what a platform's code means elsewhere. */
function remedyOf({ status, reason, platform }: Delivery): string {
  const name = PLATFORM_NAMES[platform]
  switch (status) {
    case 'unconfirmed':
      return `The post may be live. ${name} is asked again and again, and it is not sent twice. If you see it there, say so.`
    case 'processing':
      return `${name} has the post and is asked again; it is not sent twice.`
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'published':
    case 'failed':
    case 'blocked':
    case 'cancelled':
      return reason?.remedy ?? ''
  }
}

function toneOf({ status }: Delivery): 'failed' | 'attention' | 'held' {
  switch (status) {
    case 'failed':
      return 'failed'
    case 'blocked':
      return 'held'
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'published':
    case 'unconfirmed':
    case 'cancelled':
      return 'attention'
  }
}

import { Box, Button, Text } from '@mantine/core'
import { Suspense, type RefObject, useRef, useState } from 'react'
import { Link } from 'react-router'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery, DeliveryAction, OpenOutcome, Reason } from '#contract/deliveries.ts'
import { failureAnchor } from '#contract/help.ts'
import type { BrandId, PostId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { isWaiting } from '#domain/delivery/waiting.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime } from '#web/lib/moments.ts'
import { PATHS, copyPath, postPath } from '#web/lib/paths.ts'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { AccountName } from '#web/platforms/account-name.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { useDeliveryAction, useResumePlanned } from './delivery-actions.ts'
import classes from './posts.module.css'
import { AskedRepeat, repeatsOf } from './repeats.tsx'

const CancelQuestion = lazyPart(async () => ({
  default: (await import('./confirmations.tsx')).CancelQuestion,
}))

type Props = {
  delivery: Delivery
  brandId: BrandId | null
  /** Name the account, if the post has several. */
  named: boolean
  zone: string
  /** Called when an action succeeds: the buttons disappear, so the focus must move. */
  onActionDone: () => void
}

export const hasProblem = ({ reason }: Delivery): boolean => reason !== null

/** Why a delivery waits or failed, and what the user can do about it. */
export function DeliveryProblem({ delivery, brandId, named, zone, onActionDone }: Props) {
  const { reason, status, cause, due_at } = delivery
  const move = useDeliveryAction(delivery, onActionDone)
  const [asking, setAsking] = useState<ConfirmedAction | null>(null)
  const asker = useRef<HTMLElement>(null)
  if (reason === null) return null
  const goesOn = status === 'scheduled' && due_at !== null
  return (
    <>
      <InlineAlert
        tone={toneOf(delivery)}
        live={false}
        actions={
          (delivery.actions.length > 0 || status === 'failed') && (
            <Actions
              delivery={delivery}
              brandId={brandId}
              move={move}
              onActionDone={onActionDone}
              onAsk={(action, button) => {
                asker.current = button
                setAsking(action)
              }}
            />
          )
        }
      >
        {named && (
          <Box mb="0.125rem">
            <AccountName of={delivery} />
          </Box>
        )}
        <strong>{reason.message}</strong> {remedyOf(delivery)}
        {delivery.open_outcome && <Known of={delivery} known={delivery.open_outcome} zone={zone} />}
        {reason.pause && ` Paused since ${dayAndTime(reason.pause.since, zone)}.`}
        {goesOn && ` ${isWaiting(reason) ? 'Next chance' : 'Next try'}: ${dayAndTime(due_at, zone)}.`}
        {cause === 'missed' && due_at !== null && ` It was due ${dayAndTime(due_at, zone)}.`}
        {cause === 'restored' && due_at !== null && ` Its time: ${dayAndTime(due_at, zone)}.`}
        {helpSaysMore(delivery) && !isWaiting(reason) && <MoreInHelp reason={reason} />}
        {reason.detail !== null && <RawAnswer code={reason.code} detail={reason.detail} />}
      </InlineAlert>
      <Suspense>
        {asking === 'cancel' && (
          <CancelQuestion
            delivery={delivery}
            named={named}
            asker={asker}
            onKeep={() => setAsking(null)}
            onCancelled={onActionDone}
          />
        )}
      </Suspense>
      {asking !== null && asking !== 'cancel' && (
        <ResolveQuestion
          key={asking}
          delivery={delivery}
          says={asking}
          asker={asker}
          onKeep={() => setAsking(null)}
          onActionDone={onActionDone}
        />
      )}
      {move.error && repeatsOf(move.error) === null && (
        <InlineAlert>{messageOf(move.error, TEXTS.unknownError)}</InlineAlert>
      )}
      <AskedRepeat move={move} />
    </>
  )
}

const EditAndResend = ({ delivery }: { delivery: Delivery }) => (
  <Button
    size="xs"
    variant="default"
    component={Link}
    to={copyPath(delivery.post_id, delivery.delivery_id)}
    aria-label={`Edit and resend: ${accountOnPlatform(delivery)}`}
  >
    Edit and resend
  </Button>
)

type ActionsProps = {
  delivery: Delivery
  brandId: BrandId | null
  move: ReturnType<typeof useDeliveryAction>
  onActionDone: () => void
  onAsk: (action: ConfirmedAction, button: HTMLButtonElement) => void
}

function Actions({ delivery, brandId, move, onActionDone, onAsk }: ActionsProps) {
  const { actions, status, settled, reason } = delivery
  const canResend = status === 'failed' && settled?.kind !== 'replaced'
  const mustChange = canResend && reason?.needs_change === true
  const button = (action: ActionOfOne) => (
    <Button
      key={action}
      size="xs"
      variant={action === 'dismiss' ? 'subtle' : 'default'}
      loading={move.isPending && move.variables.move === action}
      disabled={move.isPending}
      onClick={({ currentTarget }) =>
        isConfirmed(action) ? onAsk(action, currentTarget) : move.mutate({ move: action })
      }
      aria-label={`${wordOf(action, delivery)}: ${accountOnPlatform(delivery)}`}
    >
      {wordOf(action, delivery)}
    </Button>
  )
  return (
    <>
      {mustChange && <EditAndResend delivery={delivery} />}
      {actions.map((action) => {
        if (action === 'dismiss') return null
        if (action === 'resume_planned') return <ResumePlanned key={action} onActionDone={onActionDone} />
        return action === 'link_again' ? (
          <LinkAgain key={action} delivery={delivery} brandId={brandId} />
        ) : (
          button(action)
        )
      })}
      {canResend && !mustChange && <EditAndResend delivery={delivery} />}
      {actions.includes('dismiss') && button('dismiss')}
      {settled?.post_id != null && <ShowNewerPost delivery={delivery} postId={settled.post_id} />}
    </>
  )
}

const ShowNewerPost = ({ delivery, postId }: { delivery: Delivery; postId: PostId }) => (
  <Button
    size="xs"
    variant="default"
    component={Link}
    to={postPath(postId)}
    aria-label={`Show the newer post: ${accountOnPlatform(delivery)}`}
  >
    Show the newer post
  </Button>
)

/** The actions that need a confirmation. */
type ActionOfOne = Exclude<DeliveryAction, 'link_again' | 'resume_planned'>
type ConfirmedAction = Exclude<ActionOfOne, 'retry' | 'dismiss'>
const isConfirmed = (action: ActionOfOne): action is ConfirmedAction =>
  action !== 'retry' && action !== 'dismiss'

const WORDS: Record<ActionOfOne, string> = {
  retry: 'Retry',
  dismiss: 'Dismiss',
  cancel: 'Cancel post',
  resolve_live: "It's live",
  resolve_in_inbox: "It's in the inbox",
  resolve_not_live: "It's not live: post again",
}

export function wordOf(action: keyof typeof WORDS, { to_inbox, cause, status, editable }: Delivery): string {
  if (to_inbox && action === 'resolve_not_live') return "It's not there: send again"
  const isFirstTime = (status === 'blocked' && editable) || cause === 'missed' || cause === 'restored'
  return isFirstTime && action === 'retry' ? 'Publish now' : WORDS[action]
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

function ResumePlanned({ onActionDone }: { onActionDone: () => void }) {
  const resume = useResumePlanned(onActionDone)
  return (
    <>
      <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
        Resume scheduled posts
      </Button>
      {resume.error && <span role="alert">{messageOf(resume.error, TEXTS.unknownError)}</span>}
    </>
  )
}

function Known({ of, known, zone }: { of: Delivery; known: OpenOutcome; zone: string }) {
  const name = PLATFORM_NAMES[of.platform]
  const { called_at, times_asked: times, asked_at, answer } = known
  return (
    <Text c="dimmed" size="xs" mt="0.25rem">
      Sent {dayAndTime(called_at, zone)}.
      {asked_at !== null &&
        ` Checked with ${name} ${times === 1 ? 'once,' : `${times} times, last`} ${dayAndTime(asked_at, zone)}: ${answer ?? ''}`}
      {of.due_at !== null && ` Next check: ${dayAndTime(of.due_at, zone)}.`}
    </Text>
  )
}

function RawAnswer({ code, detail }: { code: string; detail: string }) {
  return (
    <Box component="details" mt="0.25rem" className={classes.details}>
      <summary>Details</summary>
      <pre className={classes.answer}>
        {code}
        {'\n'}
        {detail}
      </pre>
      <CopyButton text={`${code}\n${detail}`} />
    </Box>
  )
}

/** While the outcome is open, the message itself says more than the help. */
export const helpSaysMore = ({ status, settled }: Delivery) =>
  (status === 'failed' && settled === null) || status === 'blocked' || status === 'scheduled'

export const MoreInHelp = ({ reason }: { reason: Reason }) => (
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

/** While the outcome is open, the status matters more than the remedy of the platform's code. */
export function remedyOf({ status, reason, platform, to_inbox }: Delivery): string {
  const name = PLATFORM_NAMES[platform]
  switch (status) {
    case 'unconfirmed':
      if (to_inbox)
        return `The draft may be in the ${name} inbox, so Reelay won't send it twice. If you see it there, tell us here.`
      return `The post may be live, so Reelay won't send it twice. If you see it on ${name}, tell us here.`
    case 'processing':
      return `${name} has the post. Reelay keeps checking and won't send it twice.`
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'published':
    case 'in_inbox':
    case 'failed':
    case 'blocked':
    case 'cancelled':
      return reason?.remedy ?? ''
  }
}

export function toneOf({ status, reason, settled }: Delivery): 'failed' | 'attention' | 'held' | 'note' {
  if (reason !== null && isWaiting(reason)) return 'note'
  switch (status) {
    case 'failed':
      return settled === null ? 'failed' : 'note'
    case 'blocked':
      return 'held'
    case 'scheduled':
    case 'preparing':
    case 'committing':
    case 'processing':
    case 'published':
    case 'in_inbox':
    case 'unconfirmed':
    case 'cancelled':
      return 'attention'
  }
}

type ResolveQuestionProps = {
  delivery: Delivery
  says: keyof typeof ACTIONS
  asker: RefObject<HTMLElement | null>
  onKeep: () => void
  onActionDone: () => void
}

const ACTIONS = {
  resolve_live: "It's live",
  resolve_in_inbox: "It's in the inbox",
  resolve_not_live: 'Post again',
}

/** Asks before the user's answer ends the checking, with the consequences if it is wrong. */
function ResolveQuestion({ delivery, says, asker, onKeep, onActionDone }: ResolveQuestionProps) {
  const move = useDeliveryAction(delivery, onActionDone)
  return (
    <>
      <Confirm
        question={<Question delivery={delivery} says={says} />}
        action={says === 'resolve_not_live' && delivery.to_inbox ? 'Send again' : ACTIONS[says]}
        keep={delivery.status === 'blocked' ? 'Keep it held' : 'Keep checking'}
        danger={says === 'resolve_not_live'}
        onConfirm={() => move.mutate({ move: says })}
        busy={move.isPending}
        failure={
          move.error && repeatsOf(move.error) === null ? messageOf(move.error, TEXTS.unknownError) : null
        }
        onKeep={onKeep}
        asker={asker}
      />
      <AskedRepeat move={move} />
    </>
  )
}

function Question({ delivery, says }: Pick<ResolveQuestionProps, 'delivery' | 'says'>) {
  const platform = PLATFORM_NAMES[delivery.platform]
  const name = accountName(delivery)
  switch (says) {
    case 'resolve_live':
      return (
        <>
          <strong>
            Is the post live for {name} on {platform}?
          </strong>{' '}
          Reelay marks it as published{delivery.status === 'blocked' ? '' : ' and stops checking'}. If it
          isn't live after all, you'll have to post it again.
        </>
      )
    case 'resolve_in_inbox':
      return (
        <>
          <strong>
            Is the draft in the {platform} inbox of {name}?
          </strong>{' '}
          Reelay won't send it again. Finish the post from {platform}'s notification.
        </>
      )
    case 'resolve_not_live':
      return delivery.to_inbox ? (
        <>
          <strong>Send it again?</strong> Look in the {platform} inbox of {name} first. Reelay checks with{' '}
          {platform} once more and sends the draft again unless {platform} confirms that it's there. If it's
          there after all, there will be two.
        </>
      ) : (
        <>
          <strong>Post it again?</strong> Look at {name} on {platform} first. Reelay checks with {platform}{' '}
          once more and posts the video again unless {platform} confirms that it's live. If it's live after
          all, it will be there twice.
        </>
      )
  }
}

import { ActionIcon, Checkbox, Group } from '@mantine/core'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconClock,
  IconHourglass,
  IconMinus,
  IconPlayerPause,
} from '@tabler/icons-react'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import type { PostId } from '#contract/ids.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { Badge, Status } from '#web/ui/status.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { TEXTS } from '#contract/texts.ts'
import { ResumeButton } from '#web/posts/resume-button.tsx'
import { OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { AccountName } from '#web/platforms/account-name.tsx'
import type { ComposeAction } from './compose-state.ts'
import { contextOf, obstacleOf, type LiveAccount, type Outgoing, type Readiness } from './readiness.ts'
import { AccountDetails } from './account-details.tsx'
import { minutesText } from './spread.ts'
import { detailsId, rowId } from './place-of.ts'
import classes from './accounts.module.css'

type Props = {
  live: LiveAccount
  readiness: Readiness
  outgoing: Outgoing
  /** How many accounts of its platform are selected. */
  sharing: number
  /** It is the only account of the post. */
  isAlone: boolean
  isOpen: boolean
  disabled: boolean
  dispatch: (action: ComposeAction) => void
  onOpen: (open: boolean) => void
  /** These posts missed their time during a pause that was ended here. */
  onMissed: (postIds: readonly PostId[]) => void
  /** The id of the message that asks for an account; null: none is asked for. */
  error: string | null
}

/** One account: whether it is in the post, how it stands, and its own caption and options. */
export function AccountRow(props: Props) {
  const { live, readiness, outgoing, isOpen, disabled, dispatch, onOpen } = props
  const { account, selected } = live
  const name = accountName(account)
  const isShown = isOpen && selected
  const toggle = (on: boolean) =>
    dispatch({ type: on ? 'select' : 'clear', accountIds: [account.account_id] })
  return (
    <li
      className={classes.row}
      id={rowId(account.account_id)}
      data-open={isShown || undefined}
      data-selected={selected || undefined}
    >
      <div className={classes.rowHead}>
        <Checkbox
          label={<AccountName of={account} />}
          aria-label={`${PLATFORM_NAMES[account.platform]} ${name}`}
          {...(props.error !== null && { 'aria-invalid': true, 'aria-describedby': props.error })}
          checked={selected || live.started !== null}
          onChange={(event) => toggle(event.currentTarget.checked)}
          // A selected account can always be left out.
          disabled={disabled || (!selected && obstacleOf(live) !== null)}
        />
        <span className={classes.summary}>{summaryOf(props)}</span>
        <span className={classes.state}>
          <State live={live} readiness={readiness} onMissed={props.onMissed} />
        </span>
        {selected && (
          <ActionIcon
            className={classes.open ?? ''}
            aria-label={`Caption and options for ${accountOnPlatform(account)}`}
            aria-expanded={isShown}
            aria-controls={detailsId(account.account_id)}
            onClick={() => onOpen(!isOpen)}
          >
            <IconChevronDown {...ICON} />
          </ActionIcon>
        )}
      </div>
      {isShown && (
        <AccountDetails
          live={live}
          readiness={readiness}
          outgoing={outgoing}
          sharing={props.sharing}
          isAlone={props.isAlone}
          disabled={disabled}
          dispatch={dispatch}
        />
      )}
    </li>
  )
}

/** A few words for what goes out, or for why nothing can. */
function summaryOf({ live, readiness, outgoing, sharing }: Props): string {
  if (readiness.kind === 'relink' || readiness.kind === 'off' || readiness.kind === 'started')
    return readiness.why
  if (readiness.kind === 'paused') return readiness.pause.until === null ? '' : readiness.why
  if (readiness.kind === 'held' && !live.selected)
    return readiness.until === null ? readiness.why : `${readiness.why} Next try: ${readiness.until}.`
  if (live.selected && readiness.kind === 'missing' && readiness.where === 'platform') return readiness.what
  // The note about what is to be done needs the room.
  if (!live.selected || readiness.kind === 'refused' || readiness.kind === 'missing') return ''
  const options = OPTION_PANELS[live.account.platform].summary(outgoing.options, contextOf(live, outgoing))
  return [
    outgoing.afterMinutes > 0 && `+${minutesText(outgoing.afterMinutes)}`,
    outgoing.textOf === 'account' && 'Custom caption',
    options,
    outgoing.hasOwnOptions && sharing > 1 && 'custom options',
  ]
    .filter((part) => part !== false && part !== '')
    .join(' · ')
}

function State({ live, readiness, onMissed }: Pick<Props, 'live' | 'readiness' | 'onMissed'>) {
  switch (readiness.kind) {
    case 'loading':
      return <Badge tone="working" Icon={IconClock} word="Checking" />
    // Only what deviates is said; the bar counts those that are ready.
    case 'ready':
    case 'unselected':
    case 'no_video':
      return null
    case 'paused':
      return (
        <Group component="span" gap="0.5rem">
          <Badge tone="held" Icon={IconPlayerPause} word="Paused" />
          <ResumeButton of={readiness.pause.of} name={readiness.pause.name} onMissed={onMissed} />
        </Group>
      )
    case 'held':
      return <Badge tone="held" Icon={IconHourglass} word="Held" />
    case 'off':
      return <Badge tone="draft" Icon={IconMinus} word="Not set up" />
    case 'started':
      return <Status status={readiness.status} />
    case 'relink':
      return <Relink live={live} />
    case 'refused':
      return <Badge tone="attention" Icon={IconAlertTriangle} word={inRow(readiness.what)} />
    case 'missing':
      return <Badge tone="attention" Icon={IconAlertTriangle} word={missingWord(readiness)} />
  }
}

/** As many letters as a row has room for; the fields and the checks say all of it. */
const IN_ROW_MAX = 52

const inRow = (sentence: string): string =>
  sentence.length > IN_ROW_MAX ? 'Needs a change' : sentence.replace(/\.$/, '')

const missingWord = ({ where, what }: Extract<Readiness, { kind: 'missing' }>): string => {
  switch (where) {
    case 'row':
      return inRow(what)
    case 'caption':
      return "Caption doesn't fit"
    case 'video':
      return 'Video not accepted'
    case 'platform':
      return "Can't post"
  }
}

function Relink({ live: { account } }: { live: LiveAccount }) {
  const again = useLinkAgain(account, account.brand_id)
  return (
    <>
      <LinkAgainButton {...again.button} />
      {again.error && <span role="alert">{messageOf(again.error, TEXTS.unknownError)}</span>}
    </>
  )
}

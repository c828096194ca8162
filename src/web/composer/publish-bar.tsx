import { Box, Button, Text } from '@mantine/core'
import { IconChevronUp } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { AccountId } from '#contract/ids.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { BottomBar } from '#web/ui/bottom-bar.tsx'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { OPTION_PANELS } from '#web/platforms/option-panels.tsx'
import { type Check, isInTheWay } from './checks.ts'
import type { Judged } from './readiness.ts'
import { minutesText } from './spread.ts'
import { accountsWord, needsWord, type When } from './when.ts'
import classes from './publish.module.css'
import { Sheet } from './publish-sheet.tsx'

type Props = {
  /** The selected accounts. */
  judged: readonly Judged[]
  /** Selected accounts that are not linked any more. */
  gone: readonly AccountId[]
  when: When
  /** The check that kept the last press from publishing, until it is put right. */
  missing: Check | null
  label: string
  /** The chosen moment, for the button that opens the choice; null: none is chosen or known. */
  moment: string | null
  /** How long after the first account the last one gets it, in minutes. */
  lastAfter: number
  /** The choice of when it goes out. */
  control: ReactNode
  isWhenOpen: boolean
  onWhen: (open: boolean) => void
  /** The outcome of the last press. */
  children: ReactNode
  isNarrow: boolean
  isBusy: boolean
  disabled: boolean
  onPress: () => void
  onLeaveOut: (accountIds: readonly AccountId[]) => void
}

/** How the accounts stand, when it goes out, and the one button that does it. It stays at the bottom of the window. */
export function PublishBar(props: Props) {
  const { judged, when, missing, label, children, isBusy, disabled, onPress } = props
  return (
    <BottomBar label="Publish" ofForm>
      <div className={classes.publish}>
        {children}
        {missing && (
          <Text role="alert" size="xs" fw={600} c="var(--r-attention)">
            {missing.who !== null && `${missing.who}: `}
            {missing.text}
          </Text>
        )}
        <div className={classes.line}>
          {when !== 'draft' && <Standing {...props} />}
          <div className={classes.buttons}>
            <WhenButton {...props} />
            <Button
              size="md"
              loading={isBusy}
              disabled={disabled}
              onClick={onPress}
              aria-keyshortcuts="Control+Enter Meta+Enter"
            >
              {label}
            </Button>
          </div>
        </div>
        {when !== 'draft' && <Terms judged={judged} />}
      </div>
    </BottomBar>
  )
}

/** Says when the post goes out, and opens the choice: on a phone as a sheet. */
function WhenButton({ when, moment, lastAfter, control, isWhenOpen, onWhen, isNarrow }: Props) {
  const over = lastAfter === 0 ? '' : `, over ${minutesText(lastAfter)}`
  const word = {
    now: `Now${over}`,
    schedule: `${moment ?? 'Free slot'}${over}`,
    time: `${moment ?? 'Pick a time'}${over}`,
    draft: 'Draft',
  }[when]
  const button = (
    <Button
      variant="default"
      size="md"
      aria-label={`When: ${word}`}
      aria-haspopup="dialog"
      rightSection={<IconChevronUp {...ICON} />}
      onClick={() => onWhen(!isWhenOpen)}
    >
      {word}
    </Button>
  )
  if (!isNarrow)
    return (
      <FieldsPopover
        label="When"
        position="top-end"
        width="23rem"
        portalProps={{ target: '#page' }}
        target={button}
        opened={isWhenOpen}
        onChange={onWhen}
      >
        {control}
      </FieldsPopover>
    )
  return (
    <>
      {button}
      {isWhenOpen && (
        <Sheet title="When" onClose={() => onWhen(false)}>
          {control}
          <Button fullWidth mt="md" size="md" variant="default" onClick={() => onWhen(false)}>
            Done
          </Button>
        </Sheet>
      )}
    </>
  )
}

/** "6 accounts · 5 ready · 1 needs attention", and a way to leave out those that do. */
function Standing({ judged, gone, disabled, onLeaveOut }: Props) {
  const blocked = judged.filter(({ readiness }) => isInTheWay(readiness))
  const ready = judged.filter(({ readiness }) => readiness.kind === 'ready').length
  const paused = judged.filter(({ readiness }) => readiness.kind === 'paused').length
  const held = judged.filter(({ readiness }) => readiness.kind === 'held').length
  const names = [
    ...blocked.map(({ live }) => accountName(live.account)),
    ...gone.map(() => 'an unlinked account'),
  ]
  const count = judged.length + gone.length
  const whom = names.length === 1 ? (names[0] ?? '') : accountsWord(names.length)
  if (count === 0)
    return (
      <p className={classes.standing}>
        <Text span inherit fw={400} c="dimmed">
          No account selected
        </Text>
      </p>
    )
  return (
    <p className={classes.standing}>
      <span>{accountsWord(count)}</span>
      {ready > 0 && (
        <Box component="span" c="var(--r-published)">
          {ready} ready
        </Box>
      )}
      {paused > 0 && (
        <Box component="span" c="var(--r-held)">
          {paused} paused
        </Box>
      )}
      {held > 0 && (
        <Box component="span" c="var(--r-held)">
          {held} held
        </Box>
      )}
      {names.length > 0 && (
        <>
          <Box component="span" c="var(--r-attention)" title={names.join(', ')}>
            {needsWord(names.length)}
          </Box>
          {names.length < count && (
            <Button
              size="compact-xs"
              variant="default"
              disabled={disabled}
              aria-label={`Leave out ${whom}${names.length > 1 ? `: ${names.join(', ')}` : ''}`}
              onClick={() => onLeaveOut([...blocked.map(({ live }) => live.account.account_id), ...gone])}
            >
              Leave out {whom}
            </Button>
          )}
        </>
      )}
    </p>
  )
}

/** Terms that a platform demands beside the button. */
export function Terms({ judged }: { judged: readonly Judged[] }) {
  return PLATFORM_IDS.map((platform) => {
    const panel = OPTION_PANELS[platform]
    const chosen = judged.filter(({ live }) => live.account.platform === platform)
    if (!panel.Terms || chosen.length === 0) return null
    return <panel.Terms key={platform} values={chosen.map(({ outgoing }) => outgoing.options)} />
  })
}

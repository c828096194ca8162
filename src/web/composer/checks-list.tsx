import { Box, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconEye } from '@tabler/icons-react'
import { useRef } from 'react'
import type { Account } from '#contract/accounts.ts'
import { TEXTS } from '#contract/texts.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { LinkAgainButton, useLinkAgain } from '#web/platforms/kit/link-again.tsx'
import type { Check, Place } from './checks.ts'
import type { Fix } from './fixes.ts'
import classes from './composer.module.css'

type Props = {
  checks: readonly Check[]
  /** How many accounts the post goes to, for the line that says that the rest is fine. */
  accounts: number
  hasVideo: boolean
  onShow: (place: Place) => void
  onFix: (fix: Fix) => void
  /** Undoes the last fix; null: there is none, or more was changed since. */
  onUndo: (() => void) | null
  disabled: boolean
}

/** The checks to look at before the post goes out. */
export function ChecksList({ checks, accounts, hasVideo, onUndo, ...props }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const suits = hasVideo && accounts > 0 && !checks.some(({ key }) => key.startsWith('finding'))
  // A button goes with the check that it has settled.
  const then = (change: () => void) => {
    change()
    heading.current?.focus({ preventScroll: true })
  }
  return (
    <section aria-labelledby="compose-checks">
      <Group align="baseline" wrap="nowrap" justify="space-between" mb="xs">
        <Box component="h2" id="compose-checks" fz="sm" lh="sm" ref={heading} tabIndex={-1}>
          Checks
        </Box>
        <Text span c="dimmed" size="xs">
          {checks.length > 0 && `${checks.length} to look at`}
        </Text>
        {onUndo && (
          <Button size="compact-xs" variant="subtle" color="accent" onClick={() => then(onUndo)}>
            Undo
          </Button>
        )}
      </Group>
      <Card flush>
        <ul>
          {checks.map((check) => (
            <CheckLine
              key={check.key}
              {...props}
              check={check}
              onFix={(fix) => then(() => props.onFix(fix))}
            />
          ))}
          {suits && (
            <li className={classes.check} data-level="fine">
              <IconCheck {...ICON} />
              <span>
                Length, size and picture are fine for{' '}
                {accounts === 1
                  ? 'the account'
                  : accounts === 2
                    ? 'both accounts'
                    : `all ${accounts} accounts`}
                .
              </span>
            </li>
          )}
        </ul>
      </Card>
    </section>
  )
}

type LineProps = Pick<Props, 'onShow' | 'onFix' | 'disabled'> & { check: Check }

function CheckLine({ check: { level, who, text, place, fix }, onShow, onFix, disabled }: LineProps) {
  const about = `${who === null ? '' : `${who}: `}${text}`
  return (
    <li className={classes.check} data-level={level} data-fix={fix !== null || undefined}>
      {level === 'look' ? <IconEye {...ICON} /> : <IconAlertTriangle {...ICON} />}
      <span>
        {who !== null && <strong>{who}: </strong>}
        {text}
      </span>
      <Group component="span" gap="0.375rem" className={classes.actions ?? ''}>
        {fix !== null && <FixButton fix={fix} about={about} onFix={onFix} disabled={disabled} />}
        {place !== null && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Show: ${about}`}
            onClick={() => onShow(place)}
          >
            Show
          </Button>
        )}
      </Group>
    </li>
  )
}

type FixProps = Pick<Props, 'onFix' | 'disabled'> & { fix: Fix; about: string }

function FixButton({ fix, about, onFix, disabled }: FixProps) {
  if (fix.does === 'link again') return <LinkAgain account={fix.account} />
  const label = fix.does === 'try again' ? 'Try again' : fix.label
  return (
    <Button
      size="compact-sm"
      variant="default"
      disabled={disabled}
      aria-label={`${label}: ${about}`}
      onClick={() => onFix(fix)}
    >
      {label}
    </Button>
  )
}

function LinkAgain({ account }: { account: Account }) {
  const again = useLinkAgain(account, account.brand_id)
  return (
    <>
      <LinkAgainButton {...again.button} />
      {again.error && <span role="alert">{messageOf(again.error, TEXTS.unknownError)}</span>}
    </>
  )
}

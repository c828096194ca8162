import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconEye } from '@tabler/icons-react'
import { Card } from '#web/components/display/card.tsx'
import { ICON } from '#web/components/display/icons.tsx'
import type { Check, Place } from '#web/screens/compose/readiness/checks.ts'
import classes from './checks.module.css'

type Props = {
  checks: readonly Check[]
  /** How many accounts the post goes to, for the line that says that the rest is fine. */
  accounts: number
  hasVideo: boolean
  onShow: (place: Place) => void
}

/** What there is to look at before the post goes out. */
export function ChecksList({ checks, accounts, hasVideo, onShow }: Props) {
  const suits = hasVideo && accounts > 0 && !checks.some(({ key }) => key.startsWith('finding'))
  return (
    <section aria-labelledby="compose-checks">
      <div className={classes.head}>
        <h2 id="compose-checks" className={classes.title}>
          Checks
        </h2>
        <span className={classes.muted}>{checks.length > 0 && `${checks.length} to look at`}</span>
      </div>
      <Card flush>
        <ul className={classes.list}>
          {checks.map(({ key, level, who, text, place }) => (
            <li key={key} className={classes.check} data-level={level}>
              {level === 'stop' ? <IconAlertTriangle {...ICON} /> : <IconEye {...ICON} />}
              <span>
                {who !== null && <strong>{who}: </strong>}
                {text}
              </span>
              {place !== null && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Show: ${who === null ? '' : `${who}: `}${text}`}
                  onClick={() => onShow(place)}
                >
                  Show
                </Button>
              )}
            </li>
          ))}
          {suits && (
            <li className={classes.check} data-level="fine">
              <IconCheck {...ICON} />
              <span>
                Length, size and picture suit {accounts === 1 ? 'the account' : `all ${accounts} accounts`}.
              </span>
            </li>
          )}
        </ul>
      </Card>
    </section>
  )
}

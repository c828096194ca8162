import { Button, Text } from '@mantine/core'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { Overview } from '#contract/overview.ts'
import { PATHS } from '#web/lib/paths.ts'
import { ICON } from '#web/ui/icons.tsx'
import classes from './overview.module.css'
import { OverviewSection } from './overview-section.tsx'

type Done = Overview['first_steps']
type Step = keyof Done

/** The steps to the first post; hidden once all are done. */
export function Checklist({ done }: { done: Done }) {
  const next = STEPS.find(({ step }) => !done[step])
  if (!next) return null
  // Until an account is linked, the next step is the page's primary action.
  const emphasis = done.account ? 'light' : 'filled'
  return (
    <OverviewSection title="First steps" id="first-steps">
      <ol>
        {STEPS.map(({ step, title, about, to, action }) => (
          <li key={step} className={classes.step} data-done={done[step] || undefined}>
            {done[step] ? <IconCircleCheck {...ICON} size={20} /> : <IconCircle {...ICON} size={20} />}
            <div className={classes.grow}>
              <p className={classes.name}>
                {title}
                {done[step] && (
                  <Text span c="dimmed" size="xs" fw={400}>
                    {' '}
                    · done
                  </Text>
                )}
              </p>
              <Text c="dimmed" size="xs" fw={400}>
                {about}
              </Text>
            </div>
            {!done[step] && (
              <Button size="xs" variant={step === next.step ? emphasis : 'default'} component={Link} to={to}>
                {action}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </OverviewSection>
  )
}

const STEPS: readonly { step: Step; title: string; about: string; to: string; action: string }[] = [
  {
    step: 'brand',
    title: 'Create a brand',
    about: 'It groups the accounts that belong together.',
    to: PATHS.brands,
    action: 'Go to brands',
  },
  {
    step: 'account',
    title: 'Link an account',
    about: 'You allow posting on the platform itself. Reelay never sees your password there.',
    to: PATHS.accounts,
    action: 'Go to accounts',
  },
  {
    step: 'video',
    title: 'Upload a video',
    about: "Reelay checks it against each platform's rules before it goes out.",
    to: PATHS.compose,
    action: 'New post',
  },
  {
    step: 'post',
    title: 'Publish it',
    about: 'Each account gets it exactly once. The queue shows how it went.',
    to: PATHS.compose,
    action: 'New post',
  },
]

import { Anchor, Button, Code, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ServerCheck, Severity } from '#contract/operator.ts'
import { TEXTS } from '#contract/texts.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { Section } from '#web/settings/settings-section.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { Badge, type Look } from '#web/ui/status.tsx'
import { serverChecksQuery } from './server-checks-query.ts'
import classes from './operator.module.css'

const LOOKS: Record<Severity, Look> = {
  error: { word: 'Broken', tone: 'failed', Icon: IconCircleX },
  warning: { word: 'Soon', tone: 'attention', Icon: IconAlertTriangle },
  note: { word: 'Note', tone: 'scheduled', Icon: IconInfoCircle },
  ok: { word: 'Well', tone: 'published', Icon: IconCheck },
}

const needsAHand = ({ severity }: ServerCheck) => severity === 'error' || severity === 'warning'

export function ChecksSection() {
  const checks = useQuery(serverChecksQuery)
  return (
    <Section
      title="What needs a hand"
      about="From the database to the platforms' apps. npm run doctor tells the same at the command line."
      rows
    >
      {checks.status === 'pending' && <RowsSkeleton />}
      {checks.status === 'error' && (
        <QueryError query={checks}>{messageOf(checks.error, TEXTS.unknownError)}</QueryError>
      )}
      {checks.status === 'success' && <Checks items={checks.data.items} />}
    </Section>
  )
}

function Checks({ items }: { items: readonly ServerCheck[] }) {
  const [opened, setOpened] = useState(false)
  const urgent = items.filter(needsAHand)
  const others = items.filter((item) => !needsAHand(item))
  const well = others.filter(({ severity }) => severity === 'ok').length
  return (
    <>
      {urgent.length === 0 && (
        <Text p="md" fw={600}>
          Nothing needs a hand.
        </Text>
      )}
      <CheckList items={urgent} />
      {opened && <CheckList items={others} />}
      <div className={classes.foot}>
        <Button variant="subtle" size="xs" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {opened ? 'Show less' : `Show ${counted(others.length - well, 'note')} and ${well} that are well`}
        </Button>
      </div>
    </>
  )
}

function CheckList({ items }: { items: readonly ServerCheck[] }) {
  if (items.length === 0) return null
  return (
    <ul className={classes.list}>
      {items.map(({ id, title, severity, sentence, remedy, link }) => (
        <li key={`${id} ${sentence}`} className={classes.check}>
          <div className={classes.state}>
            <Badge {...LOOKS[severity]} />
          </div>
          <div>
            <h3>{title}</h3>
            <p>{sentence}</p>
            {severity !== 'ok' && remedy !== null && <p className={classes.remedy}>{remedy}</p>}
            {severity !== 'ok' && link !== null && <Place link={link} />}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** A page of a platform, or a place in the documents that came with the program. */
function Place({ link }: { link: string }) {
  return (
    <p className={classes.remedy}>
      {link.startsWith('https:') ? (
        <Anchor href={link} target="_blank" rel="noreferrer" inherit>
          {new URL(link).hostname}
        </Anchor>
      ) : (
        <>
          <span>More in </span>
          <Code>{link}</Code>
        </>
      )}
    </p>
  )
}

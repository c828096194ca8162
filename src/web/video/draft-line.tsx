import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { Confirm } from '#web/components/feedback/confirm.tsx'
import classes from './form.module.css'

/** Says that nothing typed is lost, and offers to throw it away. */
export function DraftLine({ onDiscard }: { onDiscard: () => void }) {
  const [asking, setAsking] = useState(false)
  const asker = useRef<HTMLButtonElement>(null)
  return (
    <>
      <p className={classes.draft}>
        Kept as a draft in this browser.
        <Button ref={asker} size="xs" variant="subtle" onClick={() => setAsking(true)}>
          Discard
        </Button>
      </p>
      {asking && (
        <Confirm
          question="Discard everything in this form?"
          action="Discard draft"
          onConfirm={onDiscard}
          busy={false}
          failure={null}
          onKeep={() => setAsking(false)}
          asker={asker}
        />
      )}
    </>
  )
}

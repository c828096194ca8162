import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { Confirm } from '#web/components/feedback/confirm.tsx'
import classes from './form.module.css'

/** Says that the form is saved as a draft, and offers to discard it. */
export function DraftNotice({ onDiscard }: { onDiscard: () => void }) {
  const [isAsking, setIsAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <p className={classes.draft}>
        Draft saved in this browser.
        <Button ref={button} size="xs" variant="subtle" onClick={() => setIsAsking(true)}>
          Discard
        </Button>
      </p>
      {isAsking && (
        <Confirm
          question="Discard everything in this form?"
          action="Discard draft"
          onConfirm={onDiscard}
          busy={false}
          failure={null}
          onKeep={() => setIsAsking(false)}
          asker={button}
        />
      )}
    </>
  )
}

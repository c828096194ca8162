import { Button } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useRef, useState, type DragEvent } from 'react'
import { IMPORT_LINES_MAX } from '#contract/limits.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { CheckedFile } from './checked-file.tsx'
import classes from './import.module.css'
import { useImport } from './use-import.ts'

const EXAMPLE = `caption,video,accounts,time,zone
"Lemon tart, still warm",lemon-tart.mp4,${PLATFORM_IDS.map((id) => `${id}:@nova`).join(' ')},2026-12-24 18:30,
Second helping,bread.mp4,${PLATFORM_IDS[0]}:@nova,2026-12-25 09:00,Europe/Lisbon`

/** Checks a chosen file at once, shows what is wrong or what it would post, and imports it when that is confirmed. */
export function ImportPart() {
  const chooser = useRef<HTMLInputElement>(null)
  const { chosen, unreadable, check, carryOut, take } = useImport()
  const failed = check.error ?? carryOut.error
  return (
    <Card>
      <h2 className={classes.title}>Import posts</h2>
      <p className={classes.about}>
        A CSV file with one post per line, up to {IMPORT_LINES_MAX}. It is checked first, and nothing is
        scheduled until you confirm: then every post is, or none. Each platform's default options are used.
      </p>
      <pre className={classes.example} aria-label="An example of such a file">
        {EXAMPLE}
      </pre>
      <Drop
        onFile={(file) => void take(file)}
        onOpen={() => chooser.current?.click()}
        busy={carryOut.isPending}
      />
      <input
        ref={chooser}
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-label="CSV file"
        tabIndex={-1}
        hidden
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // Otherwise choosing the same, edited file again fires no change event.
          currentTarget.value = ''
          if (file) void take(file)
        }}
      />
      {unreadable !== null && <InlineAlert>{unreadable}</InlineAlert>}
      {check.isPending && <output className={classes.about}>Checking {chosen?.name}…</output>}
      {failed && !check.isPending && (
        <InlineAlert
          actions={
            chosen &&
            check.error && (
              <Button size="xs" variant="default" onClick={() => check.mutate(chosen)}>
                Check again
              </Button>
            )
          }
        >
          {messageOf(failed, TEXTS.unknownError)}
        </InlineAlert>
      )}
      {chosen && check.data && (
        <CheckedFile
          name={chosen.name}
          found={check.data}
          busy={carryOut.isPending}
          onImport={() => carryOut.mutate(chosen)}
        />
      )}
    </Card>
  )
}

type DropProps = { onFile: (file: File) => void; onOpen: () => void; busy: boolean }

function Drop({ onFile, onOpen, busy }: DropProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file && !busy) onFile(file)
  }
  return (
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Button
        variant="light"
        leftSection={<IconFileSpreadsheet {...ICON} />}
        onClick={onOpen}
        disabled={busy}
      >
        Choose a CSV file
      </Button>
      <span className={classes.about}>Or drop it here.</span>
    </div>
  )
}

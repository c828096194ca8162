import { Button } from '@mantine/core'
import type { ImportedLine, ImportError, PostImport } from '#contract/planning/csv.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { counted } from '#web/lib/amounts.ts'
import { dayAndTime, knownZone, zoneName } from '#web/lib/moments.ts'
import classes from './import.module.css'

type Props = { name: string; found: PostImport; busy: boolean; onImport: () => void }

/** What is wrong with a file; of one that is right what it would post, and the button that does it. */
export function CheckedFile({ name, found, busy, onImport }: Props) {
  const { errors, lines, posts } = found
  if (errors.length > 0)
    return (
      <>
        <InlineAlert title={`${name} has ${counted(errors.length, 'error')}.`}>
          Nothing was scheduled. Correct the file and choose it again.
        </InlineAlert>
        <Errors errors={errors} />
      </>
    )
  return (
    <>
      <p className={classes.found}>
        <strong>{name}</strong> has no errors.
      </p>
      <Posts lines={lines} />
      <Button className={classes.confirm ?? ''} loading={busy} onClick={onImport}>
        Schedule {counted(posts, 'post')}
      </Button>
    </>
  )
}

const Errors = ({ errors }: { errors: readonly ImportError[] }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
  <section className={classes.scroll} aria-label="Errors" tabIndex={0}>
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Column</th>
          <th scope="col">What to correct</th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ line, column, message }) => (
          <tr key={`${line} ${column} ${message}`}>
            <td>{line}</td>
            <td className={classes.column}>{column ?? 'All'}</td>
            <td>{message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const Posts = ({ lines }: { lines: readonly ImportedLine[] }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
  <section className={classes.scroll} aria-label="Posts of the file" tabIndex={0}>
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Goes out</th>
          <th scope="col">Accounts</th>
          <th scope="col">Video and caption</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ line, at, timezone, accounts, filename, text }) => (
          <tr key={line}>
            <td>{line}</td>
            <td>
              {dayAndTime(at, timezone)}
              <span className={classes.more}>{zoneName(knownZone(timezone))}</span>
            </td>
            <td>{accounts.map(({ platform, name }) => `${PLATFORM_NAMES[platform]} ${name}`).join(', ')}</td>
            <td>
              {filename}
              <span className={classes.more}>{text}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

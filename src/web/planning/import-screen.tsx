import { Button, Group, Stack, Text } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type DragEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { IMPORT_BODY_MAX_BYTES, IMPORT_LINES_MAX } from '#contract/limits.ts'
import { hasDefaults, type ImportError, type ImportedLine, type PostImport } from '#contract/planning/csv.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { ANY_POSTS, queryClient } from '#web/api/queries.ts'
import { counted, formatBytes } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dayAndTime, dayOf, knownZone, timeOfDay, zoneName } from '#web/lib/moments.ts'
import { newUuid } from '#web/lib/new-uuid.ts'
import { PATHS } from '#web/lib/paths.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { announce } from '#web/ui/announce.tsx'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { ExportPart } from './export-part.tsx'
import classes from './planning.module.css'

export function ImportScreen() {
  return (
    <>
      <PageHeader title="Import and export" />
      <Stack gap="lg">
        <ImportPart />
        <ExportPart />
      </Stack>
    </>
  )
}

const WITH_DEFAULTS = PLATFORM_IDS.filter(hasDefaults)
/** A line has no column for the choices that these ask for. */
const OTHERS = PLATFORM_IDS.filter((id) => !hasDefaults(id)).map((id) => PLATFORM_NAMES[id])

const EXAMPLE = `caption,video,accounts,time,zone,spread
"Lemon tart, still warm",lemon-tart.mp4,${WITH_DEFAULTS.map((id) => `${id}:@nova`).join(' ')},2026-12-24 18:30,,60
Second helping,bread.mp4,${WITH_DEFAULTS[0]}:@nova,2026-12-25 09:00,Europe/Lisbon,`

/** Checks a chosen file at once, shows what is wrong or what it would post, and imports it when that is confirmed. */
function ImportPart() {
  const chooser = useRef<HTMLInputElement>(null)
  const { chosen, unreadable, check, carryOut, take } = useImport()
  const failed = check.error ?? carryOut.error
  return (
    <Card>
      <Stack gap="sm">
        <h2>Import posts</h2>
        <Text c="dimmed" size="xs">
          A CSV file with one post per line, up to {IMPORT_LINES_MAX}. It is checked first, and nothing is
          scheduled until you confirm: then every post is, or none. Each platform's default options are used.{' '}
          {OTHERS.length > 0 &&
            `Videos for ${OTHERS.join(' and ')} need choices for which a file has no column: post them under New post.`}{' '}
          A set of accounts that was saved under New post is written set:shops, with spaces set:&quot;All
          shops&quot;.
        </Text>
        <pre className={classes.example} aria-label="An example of such a file">
          {EXAMPLE}
        </pre>
        <Drop
          onFile={(file) => void take(file)}
          onOpen={() => chooser.current?.click()}
          busy={carryOut.isPending}
        />
        <HiddenFileInput
          ref={chooser}
          label="CSV file"
          accept=".csv,text/csv,text/plain"
          onFiles={([file]) => file && void take(file)}
        />
        {unreadable !== null && <InlineAlert>{unreadable}</InlineAlert>}
        {check.isPending && (
          <Text component="output" c="dimmed" size="xs">
            Checking {chosen?.name}…
          </Text>
        )}
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
      </Stack>
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
    <Group
      gap="0.5rem 0.75rem"
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
      <Text span c="dimmed" size="xs">
        Or drop it here.
      </Text>
    </Group>
  )
}

/** `key`: the same for each attempt to import the file, so that it is imported once. */
type ChosenFile = { readonly name: string; readonly csv: string; readonly key: string }

function useImport() {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<ChosenFile | null>(null)
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const check = useMutation({
    mutationFn: ({ csv }: ChosenFile) => call('importPosts', { body: { csv, dry_run: true } }),
  })
  const carryOut = useMutation({
    mutationFn: ({ csv, key }: ChosenFile) => call('importPosts', { body: { csv }, idempotencyKey: key }),
    onSuccess: async ({ posts }) => {
      announce({ kind: 'done', message: `${counted(posts, 'post')} scheduled.`, page: PATHS.queue })
      void queryClient.invalidateQueries(ANY_POSTS)
      await navigate(PATHS.queue)
    },
    // Something has changed since the check: it says what.
    onError: (error, file) => {
      if (error instanceof ApiProblem && error.code === 'invalid') check.mutate(file)
    },
  })
  const take = async (file: File) => {
    const read = await readCsvFile(file)
    check.reset()
    carryOut.reset()
    setUnreadable(read.kind === 'refused' ? `${file.name}: ${read.why}` : null)
    const next = read.kind === 'refused' ? null : { name: file.name, csv: read.text, key: newUuid() }
    setChosen(next)
    if (next) check.mutate(next)
  }
  return { chosen, unreadable, check, carryOut, take }
}

type CsvText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string }

/** Another encoding is refused, not guessed: a wrong guess would post broken captions. */
async function readCsvFile(file: File): Promise<CsvText> {
  if (file.size > IMPORT_BODY_MAX_BYTES)
    return refused(
      `This file is ${formatBytes(file.size)}. The limit is ${formatBytes(IMPORT_BODY_MAX_BYTES)}.`,
    )
  const bytes = await file.arrayBuffer().catch(() => null)
  if (bytes === null) return refused("This file can't be read. Choose it again.")
  const text = textOf(bytes)
  return text === null || text.includes('\0')
    ? refused('This file is not UTF-8 text. In your spreadsheet, save it as “CSV UTF-8”.')
    : { kind: 'text', text }
}

const refused = (why: string): CsvText => ({ kind: 'refused', why })

function textOf(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The decoder says no by throwing.
    return null
  }
}

type CheckedFileProps = { name: string; found: PostImport; busy: boolean; onImport: () => void }

function CheckedFile({ name, found, busy, onImport }: CheckedFileProps) {
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
      <p style={{ overflowWrap: 'anywhere' }}>
        <strong dir="auto">{name}</strong> has no errors.
      </p>
      <Posts lines={lines} />
      <Button style={{ alignSelf: 'start' }} loading={busy} onClick={onImport}>
        Schedule {counted(posts, 'post')}
      </Button>
    </>
  )
}

const Errors = ({ errors }: { errors: readonly ImportError[] }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
  <section className={classes.scroll} aria-label="Errors" tabIndex={0}>
    <table>
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

/** Without the day, if it is the same one. */
const untilTime = (at: string, lastAt: string, zone: string): string =>
  dayOf(at, knownZone(zone)) === dayOf(lastAt, knownZone(zone))
    ? timeOfDay(lastAt, knownZone(zone))
    : dayAndTime(lastAt, zone)

const Posts = ({ lines }: { lines: readonly ImportedLine[] }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
  <section className={classes.scroll} aria-label="Posts of the file" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Goes out</th>
          <th scope="col">Accounts</th>
          <th scope="col">Video and caption</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ line, at, last_at, timezone, accounts, filename, text }) => (
          <tr key={line}>
            <td>{line}</td>
            <td className={classes.when}>
              {dayAndTime(at, timezone)}
              {last_at !== at && ` until ${untilTime(at, last_at, timezone)}`}
              <Text size="xs" c="dimmed">
                {zoneName(knownZone(timezone))}
              </Text>
            </td>
            <td>
              <Group gap="0.25rem 0.75rem">
                {accounts.map(({ name, ...account }) => (
                  <AccountName
                    key={`${account.platform} ${name}`}
                    of={{ ...account, username: null, display_name: name }}
                  />
                ))}
              </Group>
            </td>
            <td>
              <bdi>{filename}</bdi>
              <Text size="xs" c="dimmed" dir="auto">
                {text}
              </Text>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

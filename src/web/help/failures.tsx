import { Box, Button, Group, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { failureAnchor, type KnownFailure } from '#contract/help.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { helpQuery } from '#web/api/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Status } from '#web/ui/status.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { courseNote, FAILURE_GROUPS, namesCode, search, type FailureGroup } from './failure-groups.ts'
import classes from './help.module.css'

/** The URL's hash may name an entry, as links from the queue do. */
export function Failures() {
  const help = useQuery(helpQuery)
  switch (help.status) {
    case 'pending':
      return <RowsSkeleton rows={FAILURE_GROUPS.length} height={48} />
    case 'error':
      return <QueryError query={help}>{messageOf(help.error, TEXTS.unknownError)}</QueryError>
    case 'success':
      return <FailureList failures={help.data.failures} />
  }
}

function FailureList({ failures }: { failures: readonly KnownFailure[] }) {
  const [words, setWords] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { asked, known } = useAskedFailure(failures)
  const searching = words.trim() !== ''
  const found = search(failures, words)
  return (
    <>
      {asked !== null && !known && (
        <Box mt="0.875rem">
          <InlineAlert tone="attention" title="This entry isn't in the list.">
            It may have been reworded. Search for the code or the words you saw.
          </InlineAlert>
        </Box>
      )}
      <TextInput
        ref={field}
        className={classes.search ?? ''}
        maw="26rem"
        mt="0.875rem"
        type="search"
        label="Search by code or words"
        placeholder="For example: spam_risk, or link again"
        leftSection={<IconSearch {...ICON} />}
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && setWords('')}
      />
      <Text component="output" display="block" mt="0.375rem" c="dimmed" size="xs">
        {searching ? `${found.length} of ${failures.length}` : `${failures.length} known failures`}
      </Text>
      {found.length === 0 && (
        <Group gap="0.5rem 1rem" mt="0.875rem">
          <span>No failure matches these words.</span>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setWords('')
              field.current?.focus()
            }}
          >
            Clear search
          </Button>
        </Group>
      )}
      {FAILURE_GROUPS.map((group) => (
        <FailureGroupDetails
          key={group.title}
          group={group}
          failures={found.filter(({ course }) => group.courses.includes(course))}
          words={words}
          asked={asked}
        />
      ))}
    </>
  )
}

type GroupProps = {
  group: FailureGroup
  failures: readonly KnownFailure[]
  words: string
  asked: string | null
}

/** Collapsed unless a search matches or the URL names an entry in it. */
function FailureGroupDetails({ group: { title, status, says }, failures, words, asked }: GroupProps) {
  if (failures.length === 0) return null
  const opens = words.trim() !== '' || failures.some((failure) => failureAnchor(failure) === asked)
  return (
    <details className={classes.group} open={opens}>
      <summary>
        <h3>{title}</h3>
        <Text span c="dimmed" size="xs" ml="xs" mr="sm">
          {failures.length}
        </Text>
        {status !== null && <Status status={status} />}
      </summary>
      <Text span display="block" mt="0.25rem" c="dimmed" size="xs">
        {says}
      </Text>
      <ul className={classes.failures}>
        {failures.map((failure) => (
          <Entry key={failureAnchor(failure)} failure={failure} words={words} asked={asked} />
        ))}
      </ul>
    </details>
  )
}

function Entry({ failure, words, asked }: Pick<GroupProps, 'words' | 'asked'> & { failure: KnownFailure }) {
  const title = useId()
  const anchor = failureAnchor(failure)
  const note = courseNote(failure)
  const codes = failure.codes.filter((of) => of.codes.length > 0)
  return (
    <li
      id={anchor}
      className={classes.failure}
      tabIndex={-1}
      aria-labelledby={title}
      aria-current={anchor === asked || undefined}
    >
      <strong id={title}>{failure.message}</strong>
      <span>{failure.remedy}</span>
      {note !== null && (
        <Text span c="dimmed" size="xs">
          {note}
        </Text>
      )}
      <Group component="span" gap="0.25rem 0.75rem" fz="xs" className={classes.platforms}>
        {failure.codes.map(({ platform }) => (
          <PlatformName key={platform} platform={platform} />
        ))}
      </Group>
      {codes.length > 0 && (
        <details className={classes.codes} open={namesCode(failure, words) || anchor === asked}>
          <summary aria-label={`Details: ${failure.message}`}>Details</summary>
          {codes.map((of) => (
            <p key={of.platform}>
              {PLATFORM_NAMES[of.platform]}:{' '}
              {of.codes.map((code, at) => (
                <span key={code}>
                  {at > 0 && ', '}
                  <code>{code}</code>
                </span>
              ))}
            </p>
          ))}
        </details>
      )}
    </li>
  )
}

/** Scrolls to the entry that the URL names, once the list is loaded, and focuses it. */
function useAskedFailure(failures: readonly KnownFailure[]) {
  const location = useLocation()
  const asked = askedBy(location)
  useEffect(() => {
    const id = askedBy(location)
    if (id === null) return
    const entry = document.getElementById(id) ?? document.getElementById('failures')
    entry?.scrollIntoView({ block: entry.id === id ? 'center' : 'start' })
    entry?.focus({ preventScroll: true })
    // Depends on the whole location, because the same hash may be followed twice.
  }, [location])
  return { asked, known: failures.some((failure) => failureAnchor(failure) === asked) }
}

const askedBy = ({ hash }: { hash: string }): string | null =>
  hash.startsWith('#failure-') ? hash.slice(1) : null

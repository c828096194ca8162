import { Button, Group, Stack, Text } from '@mantine/core'
import { REPORT_NOTE_MAX_CHARS } from '#contract/limits.ts'
import { TEXTS } from '#contract/texts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import type { Note } from './use-note.ts'

const TOO_LONG = `The text can have at most ${REPORT_NOTE_MAX_CHARS.toLocaleString('en')} characters.`

/** The words above a report's numbers. */
export const NoteForm = ({ note }: { note: Note }) => (
  <form
    onSubmit={(event) => {
      event.preventDefault()
      note.save()
    }}
  >
    <Stack gap="xs">
      <CountedText
        label="Your words to the client"
        help="They stand above the numbers."
        rows={3}
        value={note.note}
        onChange={note.set}
        max={REPORT_NOTE_MAX_CHARS}
        error={note.isTooLong ? TOO_LONG : null}
      />
      {note.error && note.isUnsaved && (
        <InlineAlert>
          {messageOf(note.error, TEXTS.unknownError)} Your words are kept in this browser.
        </InlineAlert>
      )}
      <Group gap="xs">
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={note.isSaving}
          disabled={!note.isUnsaved || note.isTooLong}
        >
          Save
        </Button>
        {note.isUnsaved && !note.isSaving && (
          <Button size="xs" variant="subtle" onClick={note.discard}>
            Discard changes
          </Button>
        )}
        <Text component="output" c="dimmed" size="xs">
          {note.isUnsaved ? 'Not saved yet' : note.isDone ? 'Saved' : ''}
        </Text>
      </Group>
    </Stack>
  </form>
)

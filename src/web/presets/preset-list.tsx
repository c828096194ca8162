import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { IconDots, IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState, type RefObject } from 'react'
import type { PresetId } from '#contract/ids.ts'
import type { Preset } from '#contract/presets.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { PresetForm } from './preset-form.tsx'
import { presetsQuery, type Unnamed } from './presets-query.ts'
import classes from './presets.module.css'

export type ListProps = {
  /** The presets to choose from: of one kind. */
  isOffered: (preset: Preset) => boolean
  /** What can be saved as a new preset, or in place of another's content; null: there is nothing. */
  current: Unnamed | null
  words: {
    /** There is no preset yet. */
    none: string
    save: string
    /** Gives a preset the current content. Absent: its content is edited instead. */
    replace?: string
    /** What is not saved. */
    note?: string
  }
  /** What a preset holds, in a few words. */
  describe: (preset: Preset) => string
  onChoose: (preset: Preset) => void
}

type Mode =
  | { readonly kind: 'list' }
  /** null: a new one. */
  | { readonly kind: 'form'; readonly preset: Preset | null }

/** The presets of one kind. */
export default function PresetList(props: ListProps) {
  const presets = useQuery(presetsQuery)
  const [mode, setMode] = useState<Mode>({ kind: 'list' })
  const [opened, setOpened] = useState<PresetId | null>(null)
  const add = useRef<HTMLButtonElement>(null)
  if (presets.status === 'pending') return <RowsSkeleton height={36} />
  if (presets.status === 'error')
    return <QueryError query={presets}>{messageOf(presets.error, TEXTS.unknownError)}</QueryError>
  const offered = presets.data.filter(props.isOffered)
  const { current, words } = props
  const initial = mode.kind === 'form' ? (mode.preset ?? current) : null
  if (mode.kind === 'form' && initial !== null)
    return <PresetForm initial={initial} saved={mode.preset} onDone={() => setMode({ kind: 'list' })} />
  return (
    <Stack gap="xs">
      {offered.length === 0 ? (
        <Text c="dimmed" size="xs">
          {words.none}
        </Text>
      ) : (
        <ul className={classes.list}>
          {offered.map((preset) => (
            <PresetRow
              key={preset.preset_id}
              {...props}
              preset={preset}
              isOpen={opened === preset.preset_id}
              onOpen={(open) => setOpened(open ? preset.preset_id : null)}
              onEdit={() => {
                setOpened(null)
                setMode({ kind: 'form', preset })
              }}
              next={add}
            />
          ))}
        </ul>
      )}
      <Button
        ref={add}
        size="xs"
        variant="default"
        leftSection={<IconPlus {...ICON} size={14} />}
        disabled={current === null}
        onClick={() => setMode({ kind: 'form', preset: null })}
      >
        {words.save}
      </Button>
      {words.note !== undefined && (
        <Text c="dimmed" size="xs">
          {words.note}
        </Text>
      )}
    </Stack>
  )
}

type RowProps = Pick<ListProps, 'current' | 'words' | 'describe' | 'onChoose'> & {
  preset: Preset
  /** Whether it shows what can be done with it besides choosing it. */
  isOpen: boolean
  onOpen: (open: boolean) => void
  onEdit: () => void
  /** Gets the focus when the row is gone. */
  next: RefObject<HTMLButtonElement | null>
}

function PresetRow({ preset, current, words, describe, onChoose, isOpen, onOpen, onEdit, next }: RowProps) {
  const [isAsking, setAsking] = useState(false)
  const asker = useRef<HTMLButtonElement>(null)
  const params = { presetId: preset.preset_id }
  const replace = useMutation({
    mutationFn: (body: Unnamed) =>
      call('changePreset', { params, body: { ...body, version: preset.version } }),
    onSuccess: () => {
      announce({ kind: 'done', message: `“${preset.name}” is changed.` })
      onOpen(false)
    },
    onSettled: () => queryClient.invalidateQueries(presetsQuery),
  })
  const remove = useMutation({
    mutationFn: () => call('deletePreset', { params }),
    onSuccess: () => {
      next.current?.focus()
      return queryClient.invalidateQueries(presetsQuery)
    },
  })
  return (
    <li>
      <Group gap="0.25rem" wrap="nowrap">
        <button type="button" className={classes.choose} onClick={() => onChoose(preset)}>
          <bdi>{preset.name}</bdi>{' '}
          <Text span c="dimmed" size="xs" className={classes.about ?? ''}>
            {describe(preset)}
          </Text>
        </button>
        <ActionIcon
          aria-label={`Change “${preset.name}”`}
          aria-expanded={isOpen}
          onClick={() => onOpen(!isOpen)}
        >
          <IconDots {...ICON} />
        </ActionIcon>
      </Group>
      {isOpen && isAsking && (
        <Confirm
          question={`Delete “${preset.name}”? Posts and drafts stay as they are.`}
          action="Delete"
          busy={remove.isPending}
          failure={remove.error && messageOf(remove.error, TEXTS.unknownError)}
          onConfirm={() => remove.mutate()}
          onKeep={() => setAsking(false)}
          asker={asker}
        />
      )}
      {isOpen && !isAsking && (
        <Group gap="0.25rem" pb="0.25rem">
          <RowAction onClick={onEdit}>{words.replace === undefined ? 'Edit' : 'Rename'}</RowAction>
          {words.replace !== undefined && (
            <RowAction
              disabled={current === null || replace.isPending}
              onClick={() => current && replace.mutate(current)}
            >
              {words.replace}
            </RowAction>
          )}
          <RowAction onClick={() => setAsking(true)} ref={asker}>
            Delete
          </RowAction>
        </Group>
      )}
      {isOpen && replace.error && <InlineAlert>{messageOf(replace.error, TEXTS.unknownError)}</InlineAlert>}
    </li>
  )
}

type ActionProps = {
  children: string
  disabled?: boolean
  onClick: () => void
  ref?: RefObject<HTMLButtonElement | null>
}

const RowAction = (props: ActionProps) => (
  <Button size="compact-xs" variant="subtle" color="accent" {...props} />
)

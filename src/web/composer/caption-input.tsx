import {
  ActionIcon,
  Combobox,
  Popover,
  Textarea,
  useCombobox,
  type ComboboxStore,
  type TextareaProps,
} from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { IconMoodSmile } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState, type RefObject } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import { accountsQuery, postsQuery } from '#web/api/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import classes from './composer.module.css'
import { mentionAt, suggestMentions } from './mentions.ts'

const EmojiPicker = lazyPart(() => import('./emoji-picker.tsx'))

type Props = Omit<TextareaProps, 'value' | 'onChange' | 'ref' | 'disabled'> & {
  value: string
  disabled: boolean
  onChange: (text: string) => void
  /** The accounts of these are offered as mentions. */
  platforms: readonly PlatformId[]
  ref?: RefObject<HTMLTextAreaElement | null>
}

/** A caption: offers emoji, and accounts while one types `@`. */
export function CaptionInput({ value, onChange, platforms, ref, disabled, ...rest }: Props) {
  const area = useRef<HTMLTextAreaElement>(null)
  const merged = useMergedRef(area, ref)
  const [caret, setCaret] = useState<number | null>(null)
  const typed = caret === null ? null : mentionAt(value, caret)
  const names = useMentions(typed, platforms)
  const combobox = useNames(names)
  const isOffering = names.length > 0
  /** Puts a text in the place of what is selected, and of some characters before. */
  const insert = (text: string, before = 0) => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {}
    const from = selectionStart - before
    onChange(value.slice(0, from) + text + value.slice(selectionEnd))
    setCaret(null)
    requestAnimationFrame(() => area.current?.setSelectionRange(from + text.length, from + text.length))
  }
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      onOptionSubmit={(name) => insert(`${name} `, (typed ?? '').length + 1)}
    >
      <Combobox.Target withKeyboardNavigation={isOffering} withAriaAttributes={isOffering}>
        <Textarea
          {...rest}
          ref={merged}
          value={value}
          disabled={disabled}
          onChange={({ currentTarget: { value: text, selectionStart } }) => {
            onChange(text)
            setCaret(selectionStart)
          }}
          onBlur={() => setCaret(null)}
          onKeyDown={({ key }) => key === 'Escape' && setCaret(null)}
          rightSection={
            <EmojiButton
              disabled={disabled}
              onPick={(emoji) => insert(emoji)}
              onClose={() => area.current?.focus()}
            />
          }
          rightSectionProps={{ className: classes.emojiButton ?? '' }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="Accounts to mention">
          {names.map((name) => (
            <Combobox.Option key={name} value={name}>
              {name}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** Open while there are names, the first of them chosen. */
function useNames(names: readonly string[]): ComboboxStore {
  const combobox = useCombobox()
  const { openDropdown, closeDropdown, selectFirstOption } = combobox
  const offered = names.join(' ')
  useEffect(() => {
    if (offered === '') return closeDropdown()
    openDropdown()
    // The options are there with the next frame.
    const frame = requestAnimationFrame(() => selectFirstOption())
    return () => cancelAnimationFrame(frame)
  }, [offered, openDropdown, closeDropdown, selectFirstOption])
  return combobox
}

/** The user's own accounts, and who was mentioned in the latest posts. @param typed after `@`; null: no mention is typed */
function useMentions(typed: string | null, platforms: readonly PlatformId[]): string[] {
  const accounts = useQuery({ ...accountsQuery(), enabled: typed !== null }).data ?? []
  const posts = useInfiniteQuery({ ...postsQuery('past'), enabled: typed !== null }).data?.pages ?? []
  if (typed === null) return []
  const own = accounts.flatMap(({ platform, username }) =>
    username !== null && platforms.includes(platform) ? [`@${username}`] : [],
  )
  return suggestMentions(
    typed,
    own,
    posts.flatMap(({ items }) => items).map(({ text }) => text),
  )
}

type EmojiButtonProps = { disabled: boolean; onPick: (emoji: string) => void; onClose: () => void }

function EmojiButton({ disabled, onPick, onClose }: EmojiButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      onClose={onClose}
      position="bottom-end"
      withinPortal
      portalProps={{ target: '#page' }}
    >
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Insert an emoji"
          disabled={disabled}
          onClick={() => setOpen(!isOpen)}
        >
          <IconMoodSmile {...ICON} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label="Emoji">
        <Suspense>
          <EmojiPicker
            onPick={(emoji) => {
              onPick(emoji)
              setOpen(false)
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}

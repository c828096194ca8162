import {
  ActionIcon,
  Combobox,
  Popover,
  Stack,
  Textarea,
  useCombobox,
  type ComboboxStore,
  type TextareaProps,
} from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { IconMoodSmile } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState, type RefObject } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import type { AccountId } from '#contract/ids.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { accountsQuery, brandsQuery, postsQuery } from '#web/api/queries.ts'
import { fillText, hasNames, slashAt } from '#web/presets/fill-text.ts'
import type { PresetOf } from '#web/presets/presets-query.ts'
import { SavedTexts, useTextsNamed } from '#web/presets/saved-texts.tsx'
import { announce } from '#web/ui/announce.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import classes from './composer.module.css'
import { mentionAt, suggestMentions } from './mentions.ts'

const OwnCaptions = lazyPart(() => import('#web/presets/own-captions.tsx'))
const EmojiPicker = lazyPart(() => import('./emoji-picker.tsx'))

/** To whom a caption goes, for saved texts with names in them. */
export type Receiving = {
  receivers: readonly Account[]
  /** Gives several receivers captions of their own. */
  onEach?: (texts: ReadonlyMap<AccountId, string>) => void
}

type Props = Receiving &
  Omit<TextareaProps, 'value' | 'onChange' | 'ref' | 'disabled'> & {
    value: string
    disabled: boolean
    onChange: (text: string) => void
    /** The accounts of these are offered as mentions. */
    platforms: readonly PlatformId[]
    ref?: RefObject<HTMLTextAreaElement | null>
  }

/** A saved text whose names differ between the receivers, and where it goes. */
type Asked = { readonly saved: PresetOf<'text'>; readonly from: number; readonly to: number }

/** A caption: offers emoji and saved texts, accounts while one types `@`, and saved texts while one types `/`. */
export function CaptionInput(props: Props) {
  const { value, onChange, platforms, receivers, onEach, ref, disabled, ...rest } = props
  const area = useRef<HTMLTextAreaElement>(null)
  const merged = useMergedRef(area, ref)
  const [caret, setCaret] = useState<number | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const brandIds = new Set(receivers.map(({ brand_id }) => brand_id))
  const mention = caret === null ? null : mentionAt(value, caret)
  const slash = caret === null ? null : slashAt(value, caret)
  const names = useMentions(mention, platforms)
  const texts = useTextsNamed(slash, brandIds)
  const fill = useFill()
  const offered = [...names, ...texts.map(({ name }) => name)]
  const combobox = useNames(offered)
  const isOffering = offered.length > 0
  /** What is selected, and some characters before. */
  const place = (before: number) => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {}
    return { from: selectionStart - before, to: selectionEnd }
  }
  const replace = ({ from, to }: { from: number; to: number }, text: string) => {
    onChange(value.slice(0, from) + text + value.slice(to))
    setCaret(null)
    requestAnimationFrame(() => area.current?.setSelectionRange(from + text.length, from + text.length))
  }
  const insert = (text: string, before = 0) => replace(place(before), text)
  const insertSaved = (saved: PresetOf<'text'>, before = 0) => {
    const { text } = saved.content
    const [filled = text, ...others] = new Set(receivers.map((account) => fill(text, account)))
    const isUnfilled = receivers.length === 0 && hasNames(text)
    if (others.length === 0 && !isUnfilled) return insert(filled, before)
    const { from, to } = place(before)
    if (before > 0) replace({ from, to }, '')
    setAsked({ saved, from, to: before > 0 ? from : to })
  }
  const giveEach = ({ saved, from, to }: Asked) => {
    const captions = receivers.map((account): [AccountId, string] => [
      account.account_id,
      value.slice(0, from) + fill(saved.content.text, account) + value.slice(to),
    ])
    onEach?.(new Map(captions))
    announce({ kind: 'done', message: `${receivers.length} accounts have captions of their own now.` })
    setAsked(null)
    area.current?.focus()
  }
  return (
    <Stack gap="xs">
      <Combobox
        store={combobox}
        position="bottom-start"
        portalProps={{ target: '#page' }}
        onOptionSubmit={(chosen) => {
          const saved = texts.find(({ preset_id }) => String(preset_id) === chosen)
          if (slash !== null && saved) insertSaved(saved, slash.length + 1)
          else insert(`${chosen} `, (mention ?? '').length + 1)
        }}
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
              setAsked(null)
            }}
            onBlur={() => setCaret(null)}
            onKeyDown={({ key }) => key === 'Escape' && setCaret(null)}
            rightSection={
              <Stack gap={0}>
                <EmojiButton
                  disabled={disabled}
                  onPick={(emoji) => insert(emoji)}
                  onClose={() => area.current?.focus()}
                />
                <SavedTexts
                  brandIds={brandIds}
                  readText={() => {
                    const { from, to } = place(0)
                    return from === to ? value : value.slice(from, to)
                  }}
                  onChoose={insertSaved}
                  onClosed={() => area.current?.focus()}
                  disabled={disabled}
                />
              </Stack>
            }
            rightSectionProps={{ className: classes.captionButtons ?? '' }}
            classNames={{ input: classes.captionText ?? '' }}
          />
        </Combobox.Target>
        <Combobox.Dropdown>
          <Combobox.Options aria-label={slash === null ? 'Accounts to mention' : 'Saved texts'}>
            {names.map((name) => (
              <Combobox.Option key={name} value={name}>
                {name}
              </Combobox.Option>
            ))}
            {texts.map(({ preset_id, name }) => (
              <Combobox.Option key={preset_id} value={String(preset_id)}>
                {name}
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {asked !== null && (
        <Suspense>
          <OwnCaptions
            name={asked.saved.name}
            accounts={receivers.length}
            onConfirm={() => giveEach(asked)}
            onClose={() => setAsked(null)}
            field={area}
          />
        </Suspense>
      )}
    </Stack>
  )
}

/** Fills a saved text in for an account. */
function useFill(): (text: string, account: Account) => string {
  const { data: brands = [] } = useQuery(brandsQuery)
  return (text, account) =>
    fillText(text, {
      account: accountName(account),
      brand: brands.find(({ brand_id }) => brand_id === account.brand_id)?.title ?? '',
    })
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
          size="2rem"
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

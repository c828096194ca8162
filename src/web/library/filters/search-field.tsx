import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useRef } from 'react'
import { ICON } from '#web/components/display/icons.tsx'
import { usePageKey } from '#web/lib/dom/use-page-key.ts'
import classes from './filters.module.css'

type Props = { value: string; onChange: (search: string) => void; isFirst?: boolean }

/** Finds videos by words of their names and tags. The slash key leads here. `isFirst`: a dialog begins here. */
export function SearchField({ value, onChange, isFirst = false }: Props) {
  const input = useRef<HTMLInputElement>(null)
  usePageKey('/', () => input.current?.focus())
  return (
    <TextInput
      ref={input}
      className={classes.search ?? ''}
      type="search"
      aria-label="Search name or tag"
      placeholder="Search name or tag"
      aria-keyshortcuts="/"
      leftSection={<IconSearch {...ICON} />}
      rightSection={value === '' && !isFirst && <kbd className={classes.key}>/</kbd>}
      rightSectionPointerEvents="none"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(isFirst && { 'data-autofocus': true })}
    />
  )
}

import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useRef } from 'react'
import { usePageKey } from '#web/lib/use-page-key.ts'
import { ICON } from './icons.tsx'
import classes from './controls.module.css'

type Props = {
  label: string
  value: string
  onChange: (search: string) => void
  className: string | undefined
  maxLength?: number
  /** The first field of a dialog. */
  takesFocus?: boolean
}

/** A search box, focused by the slash key. */
export function SearchField({
  label,
  value,
  onChange,
  className = '',
  maxLength,
  takesFocus = false,
}: Props) {
  const input = useRef<HTMLInputElement>(null)
  usePageKey('/', () => input.current?.focus())
  return (
    <TextInput
      ref={input}
      className={className}
      type="search"
      aria-label={label}
      placeholder={label}
      aria-keyshortcuts="/"
      {...(maxLength !== undefined && { maxLength })}
      leftSection={<IconSearch {...ICON} />}
      rightSection={value === '' && !takesFocus && <kbd className={classes.key}>/</kbd>}
      rightSectionPointerEvents="none"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(takesFocus && { 'data-autofocus': true })}
    />
  )
}

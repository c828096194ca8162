import type { Ref } from 'react'

type Props = {
  ref: Ref<HTMLInputElement>
  label: string
  /** Such as `video/*`. */
  accept: string
  multiple?: boolean
  disabled?: boolean
  /** At least one. */
  onFiles: (files: readonly File[]) => void
}

/** Opened by the buttons, which have the focus and the names. */
export const HiddenFileInput = ({ label, onFiles, ...input }: Props) => (
  <input
    {...input}
    type="file"
    aria-label={label}
    tabIndex={-1}
    hidden
    onChange={({ currentTarget }) => {
      const files = [...(currentTarget.files ?? [])]
      // Otherwise choosing the same, edited file again fires no change event.
      currentTarget.value = ''
      if (files.length > 0) onFiles(files)
    }}
  />
)

import type { RefObject } from 'react'
import { Confirm } from '#web/ui/confirm.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'

type Props = {
  /** The name of the saved text. */
  name: string
  /** How many accounts share the caption. */
  accounts: number
  onConfirm: () => void
  onClose: () => void
  field: RefObject<HTMLElement | null>
}

/** Asks before a text that names each account gives each one a caption of its own. */
export default function OwnCaptions({ name, accounts, onConfirm, onClose, field }: Props) {
  if (accounts === 0)
    return (
      <InlineAlert tone="note">
        “{name}” has the name of an account or brand. Select the accounts first, then insert it.
      </InlineAlert>
    )
  return (
    <Confirm
      question={`“${name}” has names that differ between these ${accounts} accounts. Each gets this caption as its own, with its names. What you change here later does not reach them.`}
      action="Give each its own caption"
      keep="Don’t insert"
      danger={false}
      busy={false}
      failure={null}
      onConfirm={onConfirm}
      onKeep={onClose}
      asker={field}
    />
  )
}

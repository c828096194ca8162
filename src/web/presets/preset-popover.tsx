import { Suspense, useState, type ReactNode } from 'react'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import type { ListProps } from './preset-list.tsx'

const PresetList = lazyPart(() => import('./preset-list.tsx'))

type Props = ListProps & {
  label: string
  /** Which edge of the button it is under. */
  align?: 'start' | 'end'
  /** The button that opens it. */
  renderButton: (onClick: () => void) => ReactNode
  /** Puts the focus elsewhere than to the button when it is closed. */
  onClosed?: () => void
}

/** A button's popover with presets of one kind: chosen with one press, saved, changed and deleted there. */
export function PresetPopover({ label, align = 'start', renderButton, onChoose, onClosed, ...list }: Props) {
  const [isOpen, setOpen] = useState(false)
  const change = (open: boolean) => {
    setOpen(open)
    if (!open) onClosed?.()
  }
  return (
    <FieldsPopover
      label={label}
      opened={isOpen}
      onChange={change}
      position={`bottom-${align}`}
      width={340}
      returnFocus={onClosed === undefined}
      portalProps={{ target: '#page' }}
      target={renderButton(() => change(!isOpen))}
    >
      {isOpen && (
        <Suspense fallback={<RowsSkeleton height={36} />}>
          <PresetList
            {...list}
            onChoose={(preset) => {
              change(false)
              onChoose(preset)
            }}
          />
        </Suspense>
      )}
    </FieldsPopover>
  )
}

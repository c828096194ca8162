import { Suspense, useState, type ReactNode } from 'react'
import { FieldsPopover } from '#web/ui/fields-popover.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import type { ListProps } from './preset-list.tsx'

const PresetList = lazyPart(() => import('./preset-list.tsx'))

type Props = ListProps & {
  label: string
  /** The button that opens it. */
  renderButton: (onClick: () => void) => ReactNode
}

/** A button's popover with presets of one kind: chosen with one press, saved, changed and deleted there. */
export function PresetPopover({ label, renderButton, onChoose, ...list }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <FieldsPopover
      label={label}
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={320}
      portalProps={{ target: '#page' }}
      target={renderButton(() => setOpen(!isOpen))}
    >
      {isOpen && (
        <Suspense fallback={<RowsSkeleton height={36} />}>
          <PresetList
            {...list}
            onChoose={(preset) => {
              setOpen(false)
              onChoose(preset)
            }}
          />
        </Suspense>
      )}
    </FieldsPopover>
  )
}

import { ActionIcon } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { createPortal } from 'react-dom'
import { ICON } from '#web/components/display/icons.tsx'
import { useReopening } from '#web/components/page/not-loaded.tsx'
import { useBellPlace } from './bell-place.ts'

/** Stands in the bell's place until its code can be loaded. */
export function BellNotLoaded({ open }: { open: () => Promise<void> }) {
  const { obstacle, isTrying, tryAgain } = useReopening(open)
  const place = useBellPlace()
  if (place === null || obstacle === null) return null
  return createPortal(
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label="Couldn't load the notifications. Try again"
      loading={isTrying}
      onClick={tryAgain}
    >
      <IconAlertTriangle {...ICON} size={20} />
    </ActionIcon>,
    place,
  )
}

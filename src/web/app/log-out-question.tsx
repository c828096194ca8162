import { useEffect, useState, type RefObject } from 'react'
import { LABELS } from '#contract/texts.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { cancelUploads, useActiveUploads } from '#web/videos/uploads.ts'

type Props = {
  asker: RefObject<HTMLElement | null>
  onStay: () => void
  onLeave: () => void
}

/** Asks before a log-out cancels running uploads. Loaded on demand. */
export default function LogOutQuestion({ asker, onStay, onLeave }: Props) {
  const uploads = useActiveUploads()
  const [stopping, setStopping] = useState(false)
  const isOver = uploads.length === 0 && !stopping
  useEffect(() => {
    if (!isOver) return
    onStay()
    asker.current?.focus()
  }, [isOver, onStay, asker])

  const leave = async () => {
    setStopping(true)
    if (await cancelUploads(uploads)) onLeave()
    // An upload may have arrived: its form or a notification says so before the user logs out.
    else setStopping(false)
  }
  if (isOver) return null
  return (
    <Confirm
      question={
        <>
          <strong>
            {uploads.length > 1 ? 'Cancel the uploads and log out?' : 'Cancel the upload and log out?'}
          </strong>{' '}
          {uploads.map(({ filename }) => filename).join(', ')} hasn't finished uploading.
        </>
      }
      action={LABELS.logOut}
      keep="Stay"
      onConfirm={() => void leave()}
      busy={stopping}
      failure={null}
      onKeep={onStay}
      asker={asker}
    />
  )
}

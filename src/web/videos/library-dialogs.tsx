import type { VideoId } from '#contract/ids.ts'
import type { Video } from '#contract/videos.ts'
import { focusPage } from '#web/ui/page-region.ts'
import { focusCard } from './card-id.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { PlayDialog } from './play-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { TagsDialog } from './tags-dialog.tsx'

export type Asked = 'play' | 'rename' | 'tags' | 'delete'

export type Question = { readonly asked: Asked; readonly videos: readonly Video[] }

type Props = {
  question: Question | null
  onClose: () => void
  onChanged: (videos: readonly Video[]) => void
  onDeleted: (deleted: ReadonlySet<VideoId>) => void
}

/** The dialog that is open, if one is. */
export function Dialogs({ question, onClose, onChanged, onDeleted }: Props) {
  const [first] = question?.videos ?? []
  if (question === null || first === undefined) return null
  const close = () => {
    onClose()
    // The menu that opened it is gone; a dialog for several was opened by the bar, which is still there.
    if (question.videos.length === 1) queueMicrotask(() => focusCard(first.video_id))
  }
  switch (question.asked) {
    case 'play':
      return <PlayDialog video={first} onClose={close} />
    case 'rename':
      return <RenameDialog video={first} onChanged={onChanged} onClose={close} />
    case 'tags':
      return <TagsDialog videos={question.videos} onChanged={onChanged} onClose={close} />
    case 'delete':
      return (
        <DeleteDialog
          videos={question.videos}
          onClose={close}
          onDeleted={(deleted) => {
            onDeleted(deleted)
            focusPage()
          }}
        />
      )
  }
}

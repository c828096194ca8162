import { Button } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { LABELS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { libraryQuery } from '#web/api/videos.ts'
import { ICON } from '#web/ui/icons.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { useUid } from '#web/session/browser-store.ts'
import { usePageKey } from '#web/lib/use-page-key.ts'
import { isFiltered } from './filter.ts'
import { Filters } from './filters.tsx'
import { counted } from '#web/lib/amounts.ts'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { CardMenu } from './card-menu.tsx'
import { Dialogs, type Asked, type Question } from './library-dialogs.tsx'
import { downloadVideos } from './download-videos.ts'
import { FoundVideos } from './found-videos.tsx'
import classes from './videos.module.css'
import { SelectionBar } from './selection-bar.tsx'
import { videoSelection } from './video-selection.ts'
import { StorageMeter } from './storage-meter.tsx'
import { DropZone } from './drop-zone.tsx'
import { UploadsList } from './uploads-list.tsx'
import { useUploads } from './uploads.ts'
import { libraryUploads, uploadToLibrary } from './upload-video.ts'
import { useFilter } from './use-filter.ts'
import { useNewPosts } from './use-new-posts.ts'
import { usePlanFiles } from './use-plan-files.ts'

const { nothing, deselect, withChanged } = videoSelection

/** All uploaded videos: found again, tagged, downloaded, deleted, and made into posts. */
export function LibraryScreen() {
  const library = useQuery(libraryQuery)
  const [filter, setFilter] = useFilter()
  const [selection, setSelection] = useState(nothing)
  const [question, setQuestion] = useState<Question | null>(null)
  const uid = useUid()
  const uploads = libraryUploads(useUploads())
  const add = (files: readonly File[]) => uploadToLibrary(uid, files)
  const plan = usePlanFiles()
  const chooser = useRef<HTMLInputElement>(null)
  const open = () => chooser.current?.click()
  const selected = [...selection.items.values()]
  const ask = useCallback((asked: Asked, video: Video) => setQuestion({ asked, videos: [video] }), [])
  const posts = useNewPosts((saved) => setSelection((now) => deselect(now, saved)))
  const renderMenu = useCallback(
    (video: Video, isActive: boolean) => (
      <CardMenu
        video={video}
        isActive={isActive}
        onAsk={ask}
        onDownload={(wanted) => void downloadVideos([wanted])}
      />
    ),
    [ask],
  )
  const clear = () => setSelection(nothing)
  usePageKey('Escape', clear)
  return (
    <DropZone onFiles={(files) => (files.length > 1 ? plan(files) : add(files))}>
      <PageHeader
        title={LABELS.library}
        note={library.data && library.data.videos > 0 ? counted(library.data.videos, 'video') : undefined}
        aside={library.data && <StorageMeter storage={library.data.storage} />}
        action={
          <Button variant="default" leftSection={<IconUpload {...ICON} />} onClick={open}>
            Upload videos
          </Button>
        }
      />
      <HiddenFileInput ref={chooser} label="Video files" accept="video/*" multiple onFiles={add} />
      <UnfinishedUploads onChoose={open} className={classes.aboveGrid} />
      {uploads.length > 0 && (
        <div className={classes.aboveGrid}>
          <UploadsList uploads={uploads} onShow={(video) => ask('play', video)} />
        </div>
      )}
      {(library.data?.videos !== 0 || isFiltered(filter)) && <Filters filter={filter} onFilter={setFilter} />}
      <FoundVideos
        filter={filter}
        onFilter={setFilter}
        onUpload={open}
        onOpen={(video) => ask('play', video)}
        selected={selection.items}
        onSelection={setSelection}
        renderMenu={renderMenu}
      />
      {selected.length > 0 && (
        <SelectionBar
          videos={selected}
          onClear={clear}
          onChanged={(changed) => setSelection((now) => withChanged(now, changed))}
          onTags={() => setQuestion({ asked: 'tags', videos: selected })}
          onDelete={() => setQuestion({ asked: 'delete', videos: selected })}
          onDownload={() => void downloadVideos(selected)}
          onNewPosts={() => posts.start(selected)}
          isStarting={posts.isStarting}
        />
      )}
      <Dialogs
        question={question}
        onClose={() => setQuestion(null)}
        onChanged={(changed) => setSelection((now) => withChanged(now, changed))}
        onDeleted={(deleted) => setSelection((now) => deselect(now, deleted))}
      />
    </DropZone>
  )
}

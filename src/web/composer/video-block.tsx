import { Suspense, useRef, useState, type ReactNode } from 'react'
import type { Finding, Video, VideoFacts } from '#contract/videos.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { formatLabel } from '#domain/video-check/post-check.ts'
import { Card } from '#web/ui/card.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { formatBytes, formatFrameRate } from '#web/lib/amounts.ts'
import { usePoster } from '#web/videos/poster.ts'
import { VIDEOS_AND_CAPTIONS } from '#web/videos/use-plan-files.ts'
import { FixStep } from '#web/videos/fix-step.tsx'
import { useVideoCheck } from '#web/videos/use-video-check.ts'
import { sourceKey, useVideoSource } from '#web/videos/video-source.ts'
import type { Upload } from '#web/videos/uploads.ts'
import { CoverStrip } from './cover-strip.tsx'
import { EmptyBlock } from './empty-block.tsx'
import { UploadLine } from './upload-line.tsx'
import { usePostVideo, type PostVideo } from './use-post-video.ts'
import classes from './video.module.css'
import { Button, Menu, Stack, Text } from '@mantine/core'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { IconChevronDown, IconFolderOpen, IconMovie, IconTrash } from '@tabler/icons-react'
import { ICON } from '#web/ui/icons.tsx'

const LibraryPicker = lazyDialog(() => import('./library-picker.tsx'))

/** `use` says which accounts show the frame all the same. */
type OwnCoverFields = { readonly fields: ReactNode; readonly use: string }

type Props = PostVideo & {
  disabled: boolean
  /** Several files are posts of their own; absent: the first one is taken. */
  onSeveral?: ((files: readonly File[]) => void) | undefined
  /** Asks for a video. */
  error?: string | null
  ownCovers?: OwnCoverFields
}

/** Chooses, uploads and shows the video of a post, and its cover. */
export function VideoBlock({ disabled, onSeveral, error = null, ownCovers, ...post }: Props) {
  const { video, coverMs, onCover } = post
  const { place, upload, file, ...actions } = usePostVideo(post)
  const input = useRef<HTMLInputElement>(null)
  const [picking, setPicking] = useState(false)
  const pick = (other: Video | null) => {
    setPicking(false)
    actions.pick(other)
  }
  const open = () => input.current?.click()
  const isEmpty = file === null && video === null
  const take = (files: readonly File[]) => {
    const [first] = files
    if (files.length > 1 && isEmpty && onSeveral) onSeveral(files)
    else if (first) actions.choose(first)
  }
  return (
    <section aria-label="Video">
      <Card>
        <HiddenFileInput
          ref={input}
          label="Video file"
          accept={isEmpty && onSeveral ? VIDEOS_AND_CAPTIONS : 'video/*'}
          multiple={isEmpty && onSeveral !== undefined}
          disabled={disabled}
          onFiles={take}
        />
        {isEmpty ? (
          <EmptyBlock
            onOpen={open}
            onFiles={take}
            onLibrary={() => setPicking(true)}
            disabled={disabled}
            place={place.id}
            missing={error}
            error={upload?.state.kind === 'refused' ? upload.state.message : null}
            note={upload?.state.kind === 'cancelled' ? upload.state.message : null}
          />
        ) : (
          <Chosen
            file={file}
            video={video}
            coverMs={coverMs}
            onCover={onCover}
            disabled={disabled}
            upload={upload}
            onDismiss={actions.dismiss}
            ownCovers={ownCovers}
            menu={
              <ReplaceMenu
                disabled={disabled}
                onFile={open}
                onLibrary={() => setPicking(true)}
                onRemove={() => pick(null)}
              />
            }
          />
        )}
        {picking && (
          <Suspense>
            <LibraryPicker onPick={pick} onClose={() => setPicking(false)} />
          </Suspense>
        )}
      </Card>
    </section>
  )
}

type ChosenProps = {
  file: File | null
  video: Video | null
  coverMs: number
  onCover: (ms: number) => void
  disabled: boolean
  upload: Upload<Video> | null
  onDismiss: () => void
  ownCovers: OwnCoverFields | undefined
  menu: ReactNode
}

function Chosen(props: ChosenProps) {
  const { file, video, coverMs, onCover, disabled, upload, onDismiss, ownCovers, menu } = props
  const check = useVideoCheck(file, PLATFORM_IDS)
  // 0 would be any frame that is not black: here the first one is the cover.
  const source = useVideoSource(file, video)
  const poster = usePoster(source, Math.max(1, coverMs)) ?? video?.poster_url ?? null
  const facts = video?.facts ?? (check.kind === 'known' ? check.facts : null)
  const seconds = facts?.duration_s ?? 0
  const isFixing = upload?.state.kind === 'asking' || upload?.state.kind === 'fixing'
  return (
    <div className={classes.chosen}>
      <Thumbnail src={poster} seconds={seconds} size="large" />
      <Stack gap="sm" miw={0} className={classes.what ?? ''}>
        <div className={classes.head}>
          <Text size="lg" fw={600} truncate dir="auto">
            {file?.name ?? video?.filename}
          </Text>
          <Text c="dimmed" size="xs" className={classes.facts ?? ''}>
            {[formatBytes(file?.size ?? video?.size ?? 0), ...(facts ? describe(facts) : [])].join(' · ')}
          </Text>
          {menu}
        </div>
        <FixStep upload={upload} disabled={disabled} onDismiss={onDismiss} />
        {file !== null && !isFixing && <UploadLine upload={upload} isStored={video !== null} />}
        {upload?.state.kind === 'refused' && <InlineAlert>{upload.state.message}</InlineAlert>}
        {/* Afterwards they are among the checks of the post. */}
        {video === null && !isFixing && check.kind === 'known' && <Findings findings={check.findings} />}
      </Stack>
      {source !== null && facts !== null && seconds > 0 && (
        <div className={classes.cover}>
          <CoverStrip
            key={sourceKey(source)}
            source={source}
            timing={{ durationS: seconds, fps: facts.fps }}
            coverMs={coverMs}
            onCover={onCover}
            {...(ownCovers && { use: ownCovers.use })}
            disabled={disabled}
          />
          {ownCovers?.fields}
        </div>
      )}
    </div>
  )
}

/** The known facts beside the size, such as "1080 × 1920", "30 fps", "H.264". */
const describe = ({ width, height, video_codec, ...rate }: VideoFacts): string[] =>
  [
    width !== null && height !== null && `${width} × ${height}`,
    formatFrameRate(rate),
    video_codec !== null && formatLabel(video_codec),
  ].filter((part) => part !== false)

const Findings = ({ findings }: { findings: readonly Finding[] }) =>
  findings.length > 0 && (
    <InlineAlert tone="attention" live={false}>
      <Stack component="ul" gap="0.25rem" aria-label="What platforms say to this video">
        {findings.map(({ platform, code, message, remedy }) => (
          <li key={platform + code}>
            <strong>{message}</strong> {remedy}
          </li>
        ))}
      </Stack>
    </InlineAlert>
  )

type MenuProps = { disabled: boolean; onFile: () => void; onLibrary: () => void; onRemove: () => void }

/** Another video in the place of this one, or none. */
const ReplaceMenu = ({ disabled, onFile, onLibrary, onRemove }: MenuProps) => (
  <Menu>
    <Menu.Target>
      <Button
        variant="default"
        size="xs"
        disabled={disabled}
        rightSection={<IconChevronDown {...ICON} size={14} />}
      >
        Replace
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<IconFolderOpen {...ICON} />} onClick={onFile}>
        Choose a file
      </Menu.Item>
      <Menu.Item leftSection={<IconMovie {...ICON} />} onClick={onLibrary}>
        Choose from library
      </Menu.Item>
      <Menu.Item leftSection={<IconTrash {...ICON} />} onClick={onRemove}>
        Remove from post
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)

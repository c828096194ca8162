import { Suspense, useRef, useState, type ReactNode, type RefObject } from 'react'
import type { Finding, Video, VideoFacts } from '#contract/videos.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import { formatLabel } from '#domain/video-check/post-check.ts'
import { Card } from '#web/ui/card.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { lazyDialog } from '#web/ui/lazy-part.tsx'
import { formatBytes, formatFrameRate } from '#web/lib/amounts.ts'
import { usePoster } from '#web/videos/poster.ts'
import { FixStep } from '#web/videos/fix-step.tsx'
import type { VideoFix } from '#web/videos/use-video-fix.ts'
import { useVideoCheck } from '#web/videos/use-video-check.ts'
import { sourceKey, useVideoSource } from '#web/videos/video-source.ts'
import type { useChosenVideo } from '#web/videos/use-chosen-video.ts'
import { CoverStrip } from './cover-strip.tsx'
import { EmptyBlock } from './empty-block.tsx'
import { ReplaceMenu } from './replace-menu.tsx'
import { UploadLine } from './upload-line.tsx'
import { usePostVideo, type Fixing, type PostVideo } from './use-post-video.ts'
import classes from './video-block.module.css'

const LibraryPicker = lazyDialog(() => import('./library-picker.tsx'))

/** `isUsed`: a platform has a picture, so not all accounts use the frame. */
type OwnCoverFields = { readonly fields: ReactNode; readonly isUsed: boolean }

type Props = Omit<PostVideo, 'name' | 'fixing'> & {
  disabled: boolean
  ownCovers?: OwnCoverFields
  fixing?: Fixing
  name?: string
}

const AS_THEY_ARE: Fixing = { planFile: () => null, wanted: null, onTaken: () => undefined }

/** Chooses, uploads and shows the video of a post, and its cover. */
export function VideoBlock({
  video,
  onVideo,
  coverMs,
  onCover,
  disabled,
  onUpload,
  ownCovers,
  fixing = AS_THEY_ARE,
  name = 'compose',
}: Props) {
  const { fix, chosen, shown, ...actions } = usePostVideo({
    name,
    video,
    onVideo,
    coverMs,
    onCover,
    onUpload,
    fixing,
  })
  const { file, state } = chosen
  const input = useRef<HTMLInputElement>(null)
  const [picking, setPicking] = useState(false)
  const pick = (other: Video | null) => {
    setPicking(false)
    actions.pick(other)
  }
  const open = () => input.current?.click()
  return (
    <section aria-label="Video">
      <Card>
        <FileInput input={input} onFile={actions.choose} disabled={disabled} />
        {file === null && shown === null ? (
          <EmptyBlock
            onOpen={open}
            onFile={actions.choose}
            onLibrary={() => setPicking(true)}
            disabled={disabled}
            error={chosen.error}
            note={state.kind === 'cancelled' ? state.message : null}
          />
        ) : (
          <Chosen
            file={file}
            video={shown}
            coverMs={coverMs}
            onCover={onCover}
            disabled={disabled}
            upload={chosen}
            fix={fix}
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

type FileInputProps = {
  input: RefObject<HTMLInputElement | null>
  onFile: (file: File) => void
  disabled: boolean
}

/** Opened by the buttons, which have the focus and the names. */
const FileInput = ({ input, onFile, disabled }: FileInputProps) => (
  <input
    ref={input}
    type="file"
    accept="video/*"
    aria-label="Video file"
    tabIndex={-1}
    hidden
    disabled={disabled}
    onChange={({ currentTarget }) => {
      const file = currentTarget.files?.[0]
      // Otherwise choosing the same, edited file again fires no change event.
      currentTarget.value = ''
      if (file) onFile(file)
    }}
  />
)

type ChosenProps = {
  file: File | null
  video: Video | null
  coverMs: number
  onCover: (ms: number) => void
  disabled: boolean
  upload: ReturnType<typeof useChosenVideo>
  fix: VideoFix
  ownCovers: OwnCoverFields | undefined
  menu: ReactNode
}

function Chosen(props: ChosenProps) {
  const { file, video, coverMs, onCover, disabled, upload, fix, ownCovers, menu } = props
  const check = useVideoCheck(file, PLATFORM_IDS)
  // 0 would be any frame that is not black: here the first one is the cover.
  const source = useVideoSource(file, video)
  const poster = usePoster(source, Math.max(1, coverMs)) ?? video?.poster_url ?? null
  const facts = video?.facts ?? (check.kind === 'known' ? check.facts : null)
  const seconds = facts?.duration_s ?? 0
  return (
    <div className={classes.chosen}>
      <Thumbnail src={poster} seconds={seconds} size="large" />
      <div className={classes.what}>
        <div className={classes.head}>
          <p className={classes.name}>{file?.name ?? video?.filename}</p>
          <p className={`${classes.muted} ${classes.facts}`}>
            {[formatBytes(file?.size ?? video?.size ?? 0), ...(facts ? describe(facts) : [])].join(' · ')}
          </p>
          {menu}
        </div>
        {fix.state.kind !== 'idle' && <FixStep fix={fix} disabled={disabled} />}
        {file !== null && (fix.state.kind === 'idle' || fix.state.kind === 'failed') && (
          <UploadLine state={upload.state} isStored={video !== null} onRetry={upload.retry} />
        )}
        {upload.error !== null && <InlineAlert>{upload.error}</InlineAlert>}
        {/* Afterwards they are among the checks of the post. */}
        {video === null && fix.state.kind === 'idle' && check.kind === 'known' && (
          <Findings findings={check.findings} />
        )}
      </div>
      {source !== null && facts !== null && seconds > 0 && (
        <div className={classes.cover}>
          <CoverStrip
            key={sourceKey(source)}
            source={source}
            timing={{ durationS: seconds, fps: facts.fps }}
            coverMs={coverMs}
            onCover={onCover}
            isForAll={ownCovers?.isUsed !== true}
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
    <ul className={classes.findings} aria-label="What platforms say to this video">
      {findings.map(({ platform, code, message, remedy }) => (
        <li key={platform + code}>
          <strong>{message}</strong> {remedy}
        </li>
      ))}
    </ul>
  )

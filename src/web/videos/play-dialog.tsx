import { Button, Group, Modal, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { Link } from 'react-router'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import type { Video } from '#contract/videos.ts'
import { formatLabel } from '#domain/video-check/post-check.ts'
import { playbackQuery } from '#web/api/queries.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { useZone } from '#web/ui/zone.tsx'
import { formatBytes, formatFrameRate, formatPlayTime } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { PATHS } from '#web/lib/paths.ts'
import { useUid } from '#web/session/browser-store.ts'
import { planLibraryFix, fixInLibrary } from './upload-video.ts'
import { UsesOfVideo } from './uses.tsx'
import classes from './videos.module.css'

/** Plays a video, and says what it is and where it is used. */
export function PlayDialog({ video, onClose }: { video: Video; onClose: () => void }) {
  const playback = useQuery(playbackQuery(video.video_id))
  const zone = useZone()
  const uid = useUid()
  const fix = planLibraryFix(video)
  const refused = video.findings.filter(({ level }) => level === 'error')
  const { duration_s, width, height, video_codec } = video.facts
  const facts = [
    formatPlayTime(duration_s),
    formatBytes(video.size),
    width !== null && height !== null && `${width} × ${height}`,
    formatFrameRate(video.facts),
    video_codec !== null && formatLabel(video_codec),
    `Uploaded ${dateOf(video.created_at, zone)}`,
  ]
  return (
    <Modal opened onClose={onClose} title={video.filename} yOffset="6dvh">
      <Stack pt="0.25rem">
        {playback.data && (
          // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody has captions for an upload
          <video
            className={classes.player}
            src={playback.data.url}
            poster={video.poster_url ?? undefined}
            controls
            autoPlay
            style={{ aspectRatio: `${width ?? 9} / ${height ?? 16}` }}
            playsInline
            aria-label={video.filename}
          />
        )}
        {playback.isError && (
          <QueryError query={playback}>{messageOf(playback.error, TEXTS.unknownError)}</QueryError>
        )}
        <Stack gap="0.25rem" c="dimmed" fz="xs">
          <p>{facts.filter((part) => part !== false).join(' · ')}</p>
          {video.tags.length > 0 && (
            <p>
              Tags:{' '}
              {video.tags.map((tag, at) => (
                <Fragment key={tag}>
                  {at > 0 && ', '}
                  <bdi>{tag}</bdi>
                </Fragment>
              ))}
            </p>
          )}
        </Stack>
        {refused.length > 0 && (
          <InlineAlert tone="attention" live={false}>
            {refused.map(({ platform, code, message, remedy }) => (
              <p key={`${platform} ${code}`}>
                <strong>{PLATFORM_NAMES[platform]}:</strong> {message} {remedy}
              </p>
            ))}
            {fix !== null && (
              <>
                <p>
                  Your browser can make a fixed copy: {fix.changes.join(', ')}. This video stays as it is.
                </p>
                {fix.remaining.length > 0 && (
                  <p>
                    This can't be fixed: {[...new Set(fix.remaining.map(({ message }) => message))].join(' ')}
                  </p>
                )}
                <Button
                  size="xs"
                  variant="default"
                  mt="xs"
                  onClick={() => {
                    void fixInLibrary(uid, video, fix)
                    onClose()
                  }}
                >
                  Fix
                </Button>
              </>
            )}
          </InlineAlert>
        )}
        <UsesOfVideo video={video} />
        <Group justify="flex-end">
          <Button component={Link} to={`${PATHS.compose}?video=${video.video_id}`}>
            New post
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

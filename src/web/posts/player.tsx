import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Post } from '#contract/posts.ts'
import { playbackQuery } from '#web/api/queries.ts'
import { Card } from '#web/ui/card.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { formatBytes, formatPlayTime } from '#web/lib/amounts.ts'
import classes from './post.module.css'

/** The post's video; its picture, where the file was deleted since. */
export function Player({ post: { video } }: { post: Post }) {
  const { video_id, filename, size, duration_s, width, height, poster_url } = video
  const playback = useQuery(playbackQuery(video_id))
  const facts = [
    formatPlayTime(duration_s),
    formatBytes(size),
    width !== null && height !== null && `${width} × ${height}`,
  ]
  return (
    <Card className={classes.media ?? ''}>
      {playback.data ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody has captions for an upload
        <video
          className={classes.player}
          src={playback.data.url}
          poster={poster_url ?? undefined}
          controls
          preload="metadata"
          style={{ aspectRatio: `${width ?? 9} / ${height ?? 16}` }}
          playsInline
          aria-label={filename}
        />
      ) : (
        <Thumbnail src={poster_url} size="fill" />
      )}
      {playback.isError && (
        <Text c="dimmed" size="xs">
          This video can no longer be played.
        </Text>
      )}
      <p className={classes.file}>{filename}</p>
      <Text c="dimmed" size="xs">
        {facts.filter((part) => part !== false).join(' · ')}
      </Text>
    </Card>
  )
}

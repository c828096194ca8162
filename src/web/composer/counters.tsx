import { type PlatformId } from '#contract/platforms/index.ts'
import { VIDEO_LIMITS } from '#contract/platforms/video-limits.ts'
import { hashtagsIn } from '#domain/video-check/post-check.ts'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import classes from './caption.module.css'

/** How much of each platform's limits a text uses. Lengths are UTF-16 units, as the platforms count them. */
export function Counters({ text, platforms }: { text: string; platforms: readonly PlatformId[] }) {
  return (
    <span className={classes.counters}>
      {platforms.map((platform) => {
        const { textMaxChars, textMaxHashtags } = VIDEO_LIMITS[platform]
        const hashtags = hashtagsIn(text)
        return (
          <span key={platform} className={classes.counter}>
            <PlatformName platform={platform} />
            <Count used={text.length} max={textMaxChars} />
            {textMaxHashtags !== null && (
              <>
                <Count used={hashtags} max={textMaxHashtags} /> hashtags
              </>
            )}
          </span>
        )
      })}
    </span>
  )
}

const Count = ({ used, max }: { used: number; max: number }) => (
  <span data-over={used > max || undefined}>
    <strong>{used}</strong>/{max}
  </span>
)

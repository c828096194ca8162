import { Group, Textarea } from '@mantine/core'
import type { RefObject } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import classes from './composer.module.css'
import { VIDEO_LIMITS } from '#contract/platforms/video-limits.ts'
import { hashtagsIn } from '#domain/video-check/post-check.ts'
import { PlatformName } from '#web/platforms/platform-name.tsx'

type Props = {
  value: string
  onChange: (text: string) => void
  /** Of the accounts that use it; all where none is selected. */
  platforms: readonly PlatformId[]
  error: string | null
  disabled: boolean
  field: RefObject<HTMLTextAreaElement | null>
}

/** The caption of every account that has none of its own. */
export const CaptionField = ({ value, onChange, platforms, error, disabled, field }: Props) => (
  <Textarea
    ref={field}
    label="Caption"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error !== null}
    // In the description, because Mantine overrides an `aria-describedby`.
    description={
      <Group
        component="span"
        justify="space-between"
        gap="0.125rem 1rem"
        className={classes.captionNote ?? ''}
      >
        <span data-error={error !== null || undefined}>
          {error ?? 'For every account. Change it for one below.'}
        </span>
        <Counters text={value} platforms={platforms} />
      </Group>
    }
    inputWrapperOrder={['label', 'input', 'description']}
    disabled={disabled}
    autosize
    minRows={3}
    maxRows={12}
  />
)

type OwnProps = Omit<Props, 'platforms' | 'field'> & { platform: PlatformId; account: string }

/** The caption of one account. */
export const OwnCaptionField = ({ value, onChange, error, disabled, platform, account }: OwnProps) => (
  <Textarea
    aria-label={`Caption for ${account}`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error !== null}
    description={
      <Group
        component="span"
        justify="space-between"
        gap="0.125rem 1rem"
        className={classes.captionNote ?? ''}
      >
        <span data-error={error !== null || undefined}>{error ?? `Only for ${account}.`}</span>
        <Counters text={value} platforms={[platform]} />
      </Group>
    }
    inputWrapperOrder={['input', 'description']}
    disabled={disabled}
    autosize
    minRows={3}
    maxRows={12}
  />
)

/** How much of each platform's limits a text uses. Lengths are UTF-16 units, as the platforms count them. */
function Counters({ text, platforms }: { text: string; platforms: readonly PlatformId[] }) {
  return (
    <Group component="span" gap="0.125rem 1rem">
      {platforms.map((platform) => {
        const { textMaxChars, textMaxHashtags } = VIDEO_LIMITS[platform]
        const hashtags = hashtagsIn(text)
        return (
          <Group
            key={platform}
            component="span"
            gap="0.375rem"
            wrap="nowrap"
            className={classes.counter ?? ''}
          >
            <PlatformName platform={platform} />
            <Count used={text.length} max={textMaxChars} />
            {textMaxHashtags !== null && (
              <>
                <Count used={hashtags} max={textMaxHashtags} /> hashtags
              </>
            )}
          </Group>
        )
      })}
    </Group>
  )
}

const Count = ({ used, max }: { used: number; max: number }) => (
  <span data-over={used > max || undefined}>
    <strong>{used}</strong>/{max}
  </span>
)

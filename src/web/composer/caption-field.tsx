import { Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState, type RefObject } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import classes from './composer.module.css'
import { PLATFORM_LIMITS } from '#contract/platforms/platform-limits.ts'
import { hashtagsIn, countText } from '#domain/video-check/post-check.ts'
import { CaptionInput, type Receiving } from './caption-input.tsx'
import { OwnSwitch } from './own-switch.tsx'
import { PlatformName } from '#web/platforms/platform-name.tsx'

type FieldProps = Receiving & {
  value: string
  onChange: (text: string) => void
  platforms: readonly PlatformId[]
  error: string | null
  disabled: boolean
}

type CaptionProps = FieldProps & { field: RefObject<HTMLTextAreaElement | null> }

/** The caption of every account that has none of its own. Its platforms are those of the accounts that use it; all where none is selected. */
export const CaptionField = ({ field, ...props }: CaptionProps) => (
  <TextField
    {...props}
    ref={field}
    label="Caption"
    note="For every account. Change it for a platform or one account below."
  />
)

type CustomProps = Receiving & {
  /** Whose caption it is: "@northwind" or "all TikTok accounts". */
  whose: string
  platform: PlatformId
  /** null: it has none of its own. */
  text: string | null
  /** Says which caption goes out without a custom one. */
  instead: string
  error: string | null
  disabled: boolean
  onCustomise: (custom: boolean) => void
  onChange: (text: string) => void
  onReset: () => void
}

/** A caption of its own for an account, or for all accounts of a platform. */
export function CustomCaption({
  whose,
  platform,
  text,
  instead,
  onCustomise,
  onReset,
  ...field
}: CustomProps) {
  const place = useFocusOnShow(text !== null)
  return (
    <Stack gap="0.625rem" miw={0} ref={place}>
      <OwnSwitch
        label="Custom caption"
        name={whose}
        checked={text !== null}
        disabled={field.disabled}
        onChange={onCustomise}
        onReset={onReset}
      />
      {text === null ? (
        <Text c="dimmed" size="xs">
          {instead}
        </Text>
      ) : (
        <TextField
          {...field}
          value={text}
          aria-label={`Caption for ${whose}`}
          platforms={[platform]}
          note={`Only for ${whose}.`}
        />
      )}
    </Stack>
  )
}

/** Puts the caret into a text that has just been asked for. */
function useFocusOnShow(shown: boolean) {
  const place = useRef<HTMLDivElement>(null)
  const [initially] = useState(shown)
  const was = useRef(initially)
  useEffect(() => {
    if (shown && !was.current) place.current?.querySelector('textarea')?.focus()
    was.current = shown
  }, [shown])
  return place
}

type TextFieldProps = FieldProps & {
  label?: string
  'aria-label'?: string
  /** Below the text, where no error is. */
  note: string
  ref?: RefObject<HTMLTextAreaElement | null>
}

const TextField = ({ platforms, error, note, ...input }: TextFieldProps) => (
  <CaptionInput
    {...input}
    platforms={platforms}
    error={error !== null}
    // In the description, because Mantine overrides an `aria-describedby`.
    description={
      <Group
        component="span"
        justify="space-between"
        gap="0.125rem 1rem"
        className={classes.captionNote ?? ''}
      >
        <span data-error={error !== null || undefined}>{error ?? note}</span>
        <Counters text={input.value} platforms={platforms} />
      </Group>
    }
    inputWrapperOrder={['label', 'input', 'description']}
    autosize
    minRows={3}
    maxRows={12}
  />
)

/** How much of each platform's limits a text uses: UTF-16 units, or bytes where the platform counts these. */
function Counters({ text, platforms }: { text: string; platforms: readonly PlatformId[] }) {
  return (
    <Group component="span" gap="0.125rem 1rem">
      {platforms.map((platform) => {
        const { textMax, textMaxHashtags } = PLATFORM_LIMITS[platform]
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
            <Count used={countText(text, textMax.unit)} max={textMax.max} />
            {textMax.unit === 'bytes' && ' bytes'}
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

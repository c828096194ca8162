import '@mantine/core/styles/NumberInput.css'
import { NumberInput } from '@mantine/core'
import { z } from 'zod'
import { TIKTOK_COVER_MAX_MS, TIKTOK_TITLE_MAX_CHARS, TikTokPostInfo } from '#contract/platforms/tiktok.ts'
import { checkText } from '#domain/video-check/post-check.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import { messagesOf } from '#web/platforms/kit/field-errors.ts'
import type { Validation, Panel, PanelContext, PanelProps } from '#web/platforms/kit/panel.ts'
import { ChoiceFields } from './choice-fields.tsx'
import { Declaration } from './declaration.tsx'
import { EMPTY_CHOICES, TikTokChoices, validateChoices } from './choices.ts'

/** The title, and what the user has chosen so far. */
export type TikTokValue = z.infer<typeof TikTokValue>
const TikTokValue = TikTokChoices.extend({ title: z.string() })

/** The fields of the TikTok form besides video and account. */
export const tiktokPanel: Panel<TikTokValue, TikTokPostInfo> = {
  platform: 'tiktok',
  empty: { title: '', ...EMPTY_CHOICES },
  schema: TikTokValue,
  needsOptions: true,
  validate,
  Fields,
  textField: 'title',
  coverMs: ({ coverMs }) => coverMs,
  Terms: () => <Declaration branded={false} />,
}

function validate(value: TikTokValue, context: PanelContext): Validation<TikTokPostInfo> {
  // The title can be validated before the account's options are known.
  const title = TikTokPostInfo.pick({ title: true }).safeParse(value)
  const options = validateChoices(value, context)
  if (title.success && options.ok) return { ok: true, info: { ...title.data, ...options.info } }
  return {
    ok: false,
    errors: { ...(title.error && messagesOf(title.error)), ...(options.ok ? {} : options.errors) },
  }
}

function Fields(props: PanelProps<TikTokValue>) {
  const { value, onChange, errors, disabled, context } = props
  return (
    <>
      <CountedText
        label="Title"
        value={value.title}
        onChange={(title) => onChange({ ...value, title })}
        max={TIKTOK_TITLE_MAX_CHARS}
        help="Hashtags and mentions go here too."
        error={checkText(value.title, 'tiktok')[0] ?? errors['title'] ?? null}
        required
        disabled={disabled}
      />
      <ChoiceFields {...props} />
      {context.options !== null && (
        <NumberInput
          hideControls
          label="Cover timestamp"
          description="The frame that becomes the cover, in milliseconds from the start."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={value.coverMs}
          onChange={(coverMs) => onChange({ ...value, coverMs: Number(coverMs) || 0 })}
          min={0}
          max={TIKTOK_COVER_MAX_MS}
          step={500}
          suffix=" ms"
          allowDecimal={false}
          allowNegative={false}
          error={errors['video_cover_timestamp_ms']}
          disabled={disabled}
        />
      )}
    </>
  )
}

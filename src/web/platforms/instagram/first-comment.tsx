import { INSTAGRAM_COMMENT_MAX_CHARS } from '#contract/platforms/instagram.ts'
import { CountedText } from '#web/components/display/counted-text.tsx'
import type { PanelProps } from '#web/video/form/panel.ts'
import type { InstagramChoices } from './composer-options.ts'

/** What the account itself says under its post. */
export const FirstComment = ({ value, onChange, errors, disabled }: PanelProps<InstagramChoices>) => (
  <CountedText
    label="First comment"
    value={value.firstComment}
    onChange={(firstComment) => onChange({ ...value, firstComment })}
    max={INSTAGRAM_COMMENT_MAX_CHARS}
    help="Added once the post is live. Each account must allow it on the Accounts screen."
    error={errors['first_comment'] ?? null}
    disabled={disabled}
  />
)

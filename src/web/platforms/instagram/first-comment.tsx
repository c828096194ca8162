import { accountName, hasPermission } from '#contract/accounts.ts'
import { INSTAGRAM_COMMENT_MAX_CHARS } from '#contract/platforms/instagram.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import { LinkAgainToAllow } from '#web/platforms/kit/link-again.tsx'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import type { InstagramChoices } from './composer-options.ts'
import classes from './first-comment.module.css'

/** What the account itself says under its post. */
export function FirstComment({ value, onChange, errors, disabled, context }: PanelProps<InstagramChoices>) {
  const { account } = context
  const isWithheld = account !== null && hasPermission(account, 'comments') === false
  return (
    <div>
      <CountedText
        label="First comment"
        value={value.firstComment}
        onChange={(firstComment) => onChange({ ...value, firstComment })}
        max={INSTAGRAM_COMMENT_MAX_CHARS}
        help={
          isWithheld ? `${accountName(account)} hasn't allowed comments.` : 'Added once the post is live.'
        }
        error={errors['first_comment'] ?? null}
        disabled={disabled}
        rows={1}
      />
      {isWithheld && (
        <p className={classes.allow}>
          <LinkAgainToAllow account={account} permission="comments" what="comments" disabled={disabled} />
        </p>
      )}
    </div>
  )
}

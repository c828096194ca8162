import { Button } from '@mantine/core'
import { accountName, hasPermission, type Account } from '#contract/accounts.ts'
import { INSTAGRAM_COMMENT_MAX_CHARS } from '#contract/platforms/instagram.ts'
import { TEXTS } from '#contract/texts.ts'
import { CountedText } from '#web/components/display/counted-text.tsx'
import { messageOf } from '#web/lib/format/message-of.ts'
import { useLinkAgain } from '#web/linking/link-again.tsx'
import type { PanelProps } from '#web/video/form/panel.ts'
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
      {isWithheld && <AllowComments account={account} disabled={disabled} />}
    </div>
  )
}

function AllowComments({ account, disabled }: { account: Account; disabled: boolean }) {
  const again = useLinkAgain(account, account.brand_id, ['comments'])
  return (
    <p className={classes.allow}>
      <Button
        size="compact-xs"
        variant="default"
        disabled={disabled}
        {...again.button}
        aria-label={`Link again to allow comments: ${accountName(account)}`}
      >
        Link again to allow comments
      </Button>
      {again.error && <span role="alert">{messageOf(again.error, TEXTS.unknownError)}</span>}
    </p>
  )
}

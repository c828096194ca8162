import { accountName, hasPermission } from '#contract/accounts.ts'
import { INSTAGRAM_COLLABORATORS_MAX, INSTAGRAM_COMMENT_MAX_CHARS } from '#contract/platforms/instagram.ts'
import { LinkAgainToAllow } from '#web/platforms/kit/link-again.tsx'
import classes from '#web/platforms/kit/kit.module.css'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import type { InstagramChoices } from './composer-options.ts'
import fieldClasses from './instagram.module.css'
import { MoreOptions } from './more-options.tsx'
import { NamesField } from './names-field.tsx'
import { ShareToFeed } from './share-to-feed.tsx'

export function InstagramFields(props: PanelProps<InstagramChoices>) {
  const { value, onChange, errors, disabled } = props
  return (
    <>
      <fieldset disabled={disabled}>
        <legend className={classes.legend}>Where it shows</legend>
        <ShareToFeed {...props} />
      </fieldset>
      <div className={`${classes.below} ${classes.columns}`}>
        <NamesField
          label="Collaborators"
          value={value.collaborators}
          onChange={(collaborators) => onChange({ ...value, collaborators })}
          max={INSTAGRAM_COLLABORATORS_MAX}
          help="They get a request."
          error={errors['collaborators'] ?? null}
          disabled={disabled}
        />
        <FirstComment {...props} />
      </div>
      <MoreOptions {...props} />
    </>
  )
}

function FirstComment({ value, onChange, errors, disabled, context }: PanelProps<InstagramChoices>) {
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
        <p className={fieldClasses.allow}>
          <LinkAgainToAllow account={account} permission="comments" what="comments" disabled={disabled} />
        </p>
      )}
    </div>
  )
}

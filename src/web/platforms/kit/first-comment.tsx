import { accountName, hasPermission } from '#contract/accounts.ts'
import { CountedText } from '#web/ui/counted-text.tsx'
import classes from './kit.module.css'
import { LinkAgainToAllow } from './link-again.tsx'
import type { PanelProps } from './panel.ts'

type Props<Value> = PanelProps<Value> & {
  readonly max: number
  /** Instead of when it is added: why there can be none now. */
  readonly impossible?: string | null
}

/** A comment by the account itself, which needs a permission of its own. */
export function FirstComment<Value extends { readonly firstComment: string }>({
  value,
  onChange,
  errors,
  disabled,
  context: { account },
  max,
  impossible = null,
}: Props<Value>) {
  const isWithheld = account !== null && hasPermission(account, 'comments') === false
  return (
    <div>
      <CountedText
        label="First comment"
        value={value.firstComment}
        onChange={(firstComment) => onChange({ ...value, firstComment })}
        max={max}
        help={
          impossible ??
          (isWithheld ? `${accountName(account)} hasn't allowed comments.` : 'Added once the post is live.')
        }
        error={errors['first_comment'] ?? null}
        disabled={disabled || (impossible !== null && value.firstComment === '')}
        rows={1}
      />
      {isWithheld && impossible === null && (
        <p className={classes.allow}>
          <LinkAgainToAllow account={account} permission="comments" what="comments" disabled={disabled} />
        </p>
      )}
    </div>
  )
}

import { INSTAGRAM_COLLABORATORS_MAX, INSTAGRAM_COMMENT_MAX_CHARS } from '#contract/platforms/instagram.ts'
import { FirstComment } from '#web/platforms/kit/first-comment.tsx'
import classes from '#web/platforms/kit/kit.module.css'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import type { InstagramChoices } from './composer-options.ts'
import { InstagramMore } from './more-options.tsx'
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
        <FirstComment {...props} max={INSTAGRAM_COMMENT_MAX_CHARS} />
      </div>
      <InstagramMore {...props} />
    </>
  )
}

import type { PlatformId } from '#contract/platforms/index.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { OPTION_FIELDS } from '#web/platforms/option-fields.tsx'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { AccountOptionsError } from '#web/platforms/kit/account-options.tsx'
import type { ComposeAction } from './compose-state.ts'
import { sharedContextOf, sharedErrors, sharingIn, type Judged } from './readiness.ts'
import { accountsWord } from './when.ts'
import { detailsId } from './place-of.ts'
import classes from './accounts.module.css'

type Props = {
  platform: PlatformId
  selected: readonly Judged[]
  options: StoredOptions | null
  /** How many brands get what belongs to one client; null: nothing does. */
  acrossBrands: number | null
  disabled: boolean
  dispatch: (action: ComposeAction) => void
}

/** The fields of the options that a platform's accounts share. */
export function SharedFields({ platform, selected, options, acrossBrands, disabled, dispatch }: Props) {
  const Fields = OPTION_FIELDS[platform]
  const sharing = sharingIn(selected, platform)
  const context = sharedContextOf(platform, sharing.length > 0 ? sharing : selected)
  const failed = selected.find(({ live }) => live.failure !== null)?.live
  const isUnknown = OPTION_PANELS[platform].needsOptions && context.options === null
  return (
    <div className={classes.details} id={detailsId(platform)}>
      {acrossBrands !== null && (
        <InlineAlert tone="attention" live={false}>
          {`This goes to ${accountsWord(sharing.length)} of ${acrossBrands} brands. What is meant for one account, enter in its own row below.`}
        </InlineAlert>
      )}
      {isUnknown && failed && failed.failure !== null && (
        <AccountOptionsError error={failed.failure} onRetry={failed.retry} />
      )}
      {isUnknown && !failed && <FieldsSkeleton heights={[36, 24]} />}
      {!isUnknown && (
        <div className={classes.columns}>
          <div className={`${classes.part} ${classes.options}`}>
            <Fields
              value={options}
              onChange={(next) => dispatch({ type: 'set platform options', platform, options: next })}
              errors={sharedErrors(platform, sharing)}
              disabled={disabled}
              context={context}
            />
          </div>
        </div>
      )}
    </div>
  )
}

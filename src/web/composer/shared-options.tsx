import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { checkText } from '#domain/video-check/post-check.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { OptionPresets } from '#web/presets/option-presets.tsx'
import type { ComposeAction } from './compose-state.ts'
import { sharedContextOf, type Judged, sharedErrors, sharingIn } from './readiness.ts'
import { accountsWord } from './when.ts'
import { CustomCaption } from './caption-field.tsx'
import { detailsId } from './place-of.ts'
import classes from './accounts.module.css'
import type { FieldErrors, PanelContext } from '#web/platforms/kit/panel.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { OPTION_FIELDS } from '#web/platforms/option-fields.tsx'
import { AccountOptionsError } from '#web/platforms/kit/account-options.tsx'

type Props = {
  platform: PlatformId
  /** All selected accounts of the platform, also those that have options of their own. */
  selected: readonly Judged[]
  options: StoredOptions | null
  /** The caption of the platform's accounts; null: the shared one. */
  text: string | null
  sharedText: string
  isOpen: boolean
  disabled: boolean
  /** Several posts share the options, and each has its own caption. */
  isOfSeveral?: boolean
  dispatch: (action: ComposeAction) => void
  onOpen: (open: boolean) => void
}

/** The caption and options of all accounts of a platform that have none of their own, and to how many accounts and brands they go. */
export function SharedOptions(props: Props) {
  const { platform, selected, options, text, isOpen, isOfSeveral = false, onOpen } = props
  const { Mark } = PLATFORM_BRANDING[platform]
  const panel = OPTION_PANELS[platform]
  const title = `All ${PLATFORM_NAMES[platform]} accounts`
  const sharing = selected.filter(({ outgoing }) => !outgoing.hasOwnOptions)
  const brands = new Set(sharing.map(({ live }) => live.account.brand_id)).size
  const isAcrossBrands = brands > 1 && panel.isPersonal(options)
  const context = sharedContextOf(platform, sharing.length > 0 ? sharing : selected)
  return (
    <Card flush className={classes.sharedCard}>
      <section aria-label={title} data-open={isOpen || undefined} className={classes.sharedOptions}>
        <div className={classes.rowHead}>
          <Group component="span" wrap="nowrap" gap="xs" fw={600}>
            <Mark />
            {title}
          </Group>
          <span className={classes.summary}>
            {[text !== null && 'Custom caption', panel.summary(options, context)]
              .filter((part) => part !== false && part !== '')
              .join(' · ')}
          </span>
          <Text
            span
            size="xs"
            {...(isAcrossBrands ? { c: 'var(--r-attention)', fw: 600 } : { c: 'dimmed' })}
            className={classes.state ?? ''}
          >
            {reachText(sharing.length, selected.length, brands)}
          </Text>
          <ActionIcon
            className={classes.open ?? ''}
            aria-label={`${isOfSeveral ? 'Options' : 'Caption and options'} for all ${PLATFORM_NAMES[platform]} accounts`}
            aria-expanded={isOpen}
            aria-controls={detailsId(platform)}
            onClick={() => onOpen(!isOpen)}
          >
            <IconChevronDown {...ICON} />
          </ActionIcon>
        </div>
        {isOpen && <SharedFields {...props} acrossBrands={isAcrossBrands ? brands : null} />}
      </section>
    </Card>
  )
}

/** "6 accounts of 3 brands, 1 with its own". */
function reachText(sharing: number, selected: number, brands: number): string {
  const own = selected - sharing
  if (sharing === 0) return 'Each account has its own'
  const reach = brands > 1 ? `${accountsWord(sharing)} of ${brands} brands` : accountsWord(sharing)
  return own === 0 ? reach : `${reach}, ${own} with ${own === 1 ? 'its' : 'their'} own`
}

type FieldsProps = Omit<Props, 'isOpen' | 'onOpen'> & {
  /** How many brands get what belongs to one client; null: nothing does. */
  acrossBrands: number | null
}

/** The fields of the options that a platform's accounts share. */
function SharedFields({
  platform,
  selected,
  options,
  text,
  sharedText,
  acrossBrands,
  isOfSeveral = false,
  disabled,
  dispatch,
}: FieldsProps) {
  const Fields = OPTION_FIELDS[platform]
  const sharing = sharingIn(selected, platform)
  const context = sharedContextOf(platform, sharing.length > 0 ? sharing : selected)
  const failed = selected.find(({ live }) => live.failure !== null)?.live
  const set = (next: StoredOptions) => dispatch({ type: 'set platform options', platform, options: next })
  const isUnknown = OPTION_PANELS[platform].needsOptions && context.options === null
  return (
    <div className={classes.details} id={detailsId(platform)}>
      {acrossBrands !== null && (
        <InlineAlert tone="attention" live={false}>
          {`This goes to ${accountsWord(sharing.length)} of ${acrossBrands} brands. To write for one account only, open its row below.`}
        </InlineAlert>
      )}
      {isUnknown && failed && failed.failure !== null && (
        <AccountOptionsError error={failed.failure} onRetry={failed.retry} />
      )}
      {isUnknown && !failed && <FieldsSkeleton heights={[36, 24]} />}
      {!isUnknown && (
        <div className={classes.columns}>
          {!isOfSeveral && selected.some(({ outgoing }) => !outgoing.toInbox) && (
            <SharedCaption {...{ platform, selected, text, sharedText, disabled, dispatch }} />
          )}
          <Stack gap="0.625rem" miw={0} className={classes.options ?? ''}>
            <OptionPresets
              platform={platform}
              whose={`all ${PLATFORM_NAMES[platform]} accounts`}
              value={options}
              onChange={set}
              context={context}
              disabled={disabled}
            />
            <Fields
              value={options}
              onChange={set}
              errors={
                isOfSeveral ? optionErrors(platform, options, context) : sharedErrors(platform, sharing)
              }
              disabled={disabled}
              context={context}
            />
          </Stack>
        </div>
      )}
    </div>
  )
}

/** A single account shares them with other posts. */
function optionErrors(
  platform: PlatformId,
  options: StoredOptions | null,
  context: PanelContext,
): FieldErrors {
  const checked = OPTION_PANELS[platform].validate(options, context)
  return checked.ok ? {} : checked.errors
}

type CaptionProps = Pick<Props, 'platform' | 'selected' | 'text' | 'sharedText' | 'disabled' | 'dispatch'>

function SharedCaption({ platform, selected, text, sharedText, disabled, dispatch }: CaptionProps) {
  const set = (changed: string | null) => dispatch({ type: 'set platform text', platform, text: changed })
  const [problem] = text === null ? [] : checkText(text, platform)
  return (
    <CustomCaption
      whose={`all ${PLATFORM_NAMES[platform]} accounts`}
      platform={platform}
      text={text}
      instead="Post with the caption above."
      error={problem ?? null}
      disabled={disabled}
      onCustomise={(custom) => set(custom ? sharedText : null)}
      onChange={set}
      onReset={() => set(null)}
      receivers={selected
        .filter(({ outgoing }) => outgoing.textOf === 'platform')
        .map(({ live }) => live.account)}
      onEach={(texts) => dispatch({ type: 'set account texts', texts })}
    />
  )
}

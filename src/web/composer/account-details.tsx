import { Box, Group, Stack, Text } from '@mantine/core'
import { accountName, accountOnPlatform } from '#contract/accounts.ts'
import { INBOX_OPTIONS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { formatDuration } from '#web/lib/amounts.ts'
import { AccountAvatar } from '#web/platforms/account-name.tsx'
import { OPTION_FIELDS } from '#web/platforms/option-fields.tsx'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { AccountOptionsError } from '#web/platforms/kit/account-options.tsx'
import { OptionPresets } from '#web/presets/option-presets.tsx'
import { CustomCaption } from './caption-field.tsx'
import type { ComposeAction } from './compose-state.ts'
import { contextOf, errorsIn, type LiveAccount, type Outgoing, type Readiness } from './readiness.ts'
import { MinutesField } from './spread-fields.tsx'
import { OwnSwitch } from './own-switch.tsx'
import { detailsId, PROBLEM } from './place-of.ts'
import classes from './accounts.module.css'

type Props = {
  live: LiveAccount
  readiness: Readiness
  outgoing: Outgoing
  /** How many accounts of its platform are selected. */
  sharing: number
  /** It is the only account of the post. */
  isAlone: boolean
  disabled: boolean
  dispatch: (action: ComposeAction) => void
}

/** The caption and the options of one account. */
export function AccountDetails(props: Props) {
  const { live, readiness } = props
  return (
    <section
      className={classes.details}
      id={detailsId(live.account.account_id)}
      aria-label={`Caption and options for ${accountOnPlatform(live.account)}`}
    >
      <PostsAs live={live} toInbox={props.outgoing.toInbox} />
      {(readiness.kind === 'held' || readiness.kind === 'paused') && (
        <InlineAlert tone="held" live={false}>
          {readiness.why}
          {readiness.kind === 'held' &&
            readiness.until !== null &&
            ` Its post waits. Next try: ${readiness.until}.`}
        </InlineAlert>
      )}
      <Unplaced {...props} />
      <div className={classes.columns}>
        <Stack gap="md">
          <OwnCaption {...props} />
          <OwnTime {...props} />
        </Stack>
        <Options {...props} />
      </div>
    </section>
  )
}

/** As whom the account posts: TikTok wants the creator to be named. */
function PostsAs({ live: { account, now }, toInbox }: Pick<Props, 'live'> & { toInbox: boolean }) {
  const name = now !== null && 'nickname' in now ? now.nickname : account.display_name
  const longestPost = now !== null && 'max_duration_s' in now ? now.max_duration_s : null
  const longest = toInbox ? (INBOX_OPTIONS[account.platform]?.maxDurationS ?? null) : longestPost
  return (
    <Group component="p" gap="xs" wrap="nowrap" fz="xs" lh="xs" c="dimmed">
      <AccountAvatar of={{ ...account, avatar_url: now?.avatar_url ?? account.avatar_url }} large />
      <span>
        {toInbox ? 'Draft for' : 'Posts as'}{' '}
        <Box component="bdi" fw={700} c="bright">
          {name}
        </Box>{' '}
        on {PLATFORM_NAMES[account.platform]}
        {longest !== null && ` · videos up to ${formatDuration(longest)}`}
      </span>
    </Group>
  )
}

/** Problems that belong to no single field. */
function Unplaced({ live, outgoing }: Props) {
  const shown = ['text', ...OPTION_PANELS[live.account.platform].fields]
  const messages = Object.entries(errorsIn(live, outgoing))
    .filter(([field, message]) => message !== null && !shown.includes(field))
    .map(([, message]) => message)
  if (messages.length === 0) return null
  return (
    <div tabIndex={-1} {...{ [PROBLEM]: true }}>
      <InlineAlert tone="attention">{messages.join(' ')}</InlineAlert>
    </div>
  )
}

function OwnCaption({ live, outgoing, disabled, dispatch }: Props) {
  const { account_id: accountId, platform } = live.account
  if (outgoing.toInbox)
    return (
      <Text c="dimmed" size="xs">
        You write the caption in {PLATFORM_NAMES[platform]}.
      </Text>
    )
  return (
    <CustomCaption
      whose={accountName(live.account)}
      platform={platform}
      text={outgoing.textOf === 'account' ? outgoing.text : null}
      instead={
        outgoing.textOf === 'platform'
          ? `Posts with the caption of all ${PLATFORM_NAMES[platform]} accounts.`
          : 'Posts with the caption above.'
      }
      error={errorsIn(live, outgoing)['text'] ?? null}
      disabled={disabled}
      onCustomise={(custom) => dispatch({ type: 'customise text', accountId, custom, from: outgoing.text })}
      onChange={(text) => dispatch({ type: 'set account text', accountId, text })}
      receivers={[live.account]}
      onReset={() => dispatch({ type: 'set account text', accountId, text: null })}
    />
  )
}

/** Beside others. Alone, an account has the time of the post, unless others have got it already. */
function OwnTime({ live, outgoing, isAlone, disabled, dispatch }: Props) {
  const { account_id: accountId } = live.account
  if (isAlone && outgoing.afterMinutes === 0) return null
  return (
    <MinutesField
      label="After the post's time"
      value={outgoing.afterMinutes}
      disabled={disabled}
      onChange={(minutes) => dispatch({ type: 'set account time', accountId, minutes })}
    />
  )
}

function Options({ live, outgoing, sharing, disabled, dispatch }: Props) {
  const { account, now, failure, retry } = live
  const { platform, account_id: accountId } = account
  const { hasOwnOptions } = outgoing
  const Fields = OPTION_FIELDS[platform]
  const isWaiting = OPTION_PANELS[platform].needsOptions && now === null
  if (isWaiting && failure !== null) return <AccountOptionsError error={failure} onRetry={retry} />
  if (isWaiting) return <FieldsSkeleton heights={[36, 24]} />
  const name = accountName(account)
  const set = (options: StoredOptions | null) => dispatch({ type: 'set account options', accountId, options })
  return (
    <Stack gap="0.625rem" miw={0} className={classes.options ?? ''}>
      {sharing > 1 && (
        <Stack gap="0.25rem" className={classes.ownOptions ?? ''}>
          <OwnSwitch
            label="Custom options"
            resetLabel="Use the shared options"
            name={name}
            checked={hasOwnOptions}
            disabled={disabled}
            onChange={(own) => set(own ? (outgoing.options ?? {}) : null)}
            onReset={() => set(null)}
          />
          <Text c="dimmed" size="xs">
            {hasOwnOptions
              ? `Only for ${name}.`
              : `Same as all ${PLATFORM_NAMES[platform]} accounts. What you change here is only for ${name}.`}
          </Text>
        </Stack>
      )}
      <OptionPresets
        platform={platform}
        whose={name}
        value={outgoing.options}
        onChange={set}
        context={contextOf(live, outgoing)}
        disabled={disabled}
      />
      <Fields
        value={outgoing.options}
        onChange={set}
        errors={errorsIn(live, outgoing)}
        disabled={disabled}
        context={contextOf(live, outgoing)}
      />
    </Stack>
  )
}

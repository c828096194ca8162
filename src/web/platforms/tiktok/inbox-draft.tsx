import { Switch, Text } from '@mantine/core'
import { accountName, hasPermission } from '#contract/accounts.ts'
import { INBOX_OPTIONS } from '#contract/platforms/index.ts'
import { LinkAgainToAllow } from '#web/platforms/kit/link-again.tsx'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import type { ComposerChoices } from './composer-options.tsx'
import classes from '#web/platforms/kit/panel.module.css'

/** Whether the video goes to the creator's inbox, where the post is finished. */
export function InboxDraft({ value, onChange, errors, disabled, context }: PanelProps<ComposerChoices>) {
  const { account } = context
  const isWithheld = account !== null && hasPermission(account, 'inbox_draft') === false
  return (
    <div className={classes.below}>
      <Switch
        label="Send as a draft"
        // Else the description would be part of the name.
        aria-label="Send as a draft"
        description={`Goes to the TikTok inbox. ${value.inbox ? IN_THE_APP : WHAT_IS_LEFT}`}
        checked={value.inbox}
        error={errors['post_mode']}
        disabled={disabled}
        onChange={(event) => onChange({ ...value, inbox: event.currentTarget.checked })}
      />
      {value.inbox && isWithheld && (
        <Text c="dimmed" size="xs" mt="0.25rem">
          {accountName(account)} hasn't allowed drafts.{' '}
          <LinkAgainToAllow account={account} permission="inbox_draft" what="drafts" disabled={disabled} />
        </Text>
      )}
    </div>
  )
}

const WHAT_IS_LEFT = 'You write the caption and post it in the TikTok app.'
const IN_THE_APP = `You choose the caption, audience, cover and everything else in the TikTok app. Open its notification within about ${INBOX_OPTIONS.tiktok.keptHours} hours.`

import { Box } from '@mantine/core'
import type { Delivery } from '#contract/deliveries.ts'
import { INBOX_OPTIONS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { AccountName } from '#web/platforms/account-name.tsx'

type Props = {
  delivery: Delivery
  /** Name the account, if the post has several. */
  named: boolean
  /** Epoch ms. */
  now: number
}

export const isInInbox = ({ status }: Delivery): boolean => status === 'in_inbox'

/** Tells the owner of the account how to post the draft: it is not posted before. */
export function InboxNote({ delivery, named, now }: Props) {
  const { platform, in_inbox_at } = delivery
  const name = PLATFORM_NAMES[platform]
  const keptHours = INBOX_OPTIONS[platform]?.keptHours ?? 0
  const isKept = in_inbox_at !== null && now < Date.parse(in_inbox_at) + keptHours * 3_600_000
  return (
    <InlineAlert tone="note" live={false}>
      {named && (
        <Box mb="0.125rem">
          <AccountName of={delivery} />
        </Box>
      )}
      <strong>Not posted yet.</strong>{' '}
      {isKept
        ? `Open ${name}'s notification within about ${keptHours} hours to finish the post.`
        : `${name} hasn't told us that it was posted. It keeps drafts for about ${keptHours} hours.`}
    </InlineAlert>
  )
}

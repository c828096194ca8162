import { IconExternalLink } from '@tabler/icons-react'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { ICON } from '#web/ui/icons.tsx'

type Props = { delivery: Delivery; url: string; className: string | undefined }

/** Opens a live post on its platform. */
export const OpenLink = ({ delivery, url, className }: Props) => (
  <a
    href={url}
    target="_blank"
    rel="noreferrer"
    className={className}
    aria-label={`Open on ${PLATFORM_NAMES[delivery.platform]}: ${accountName(delivery)}`}
  >
    Open on {PLATFORM_NAMES[delivery.platform]}
    <IconExternalLink {...ICON} size={14} />
  </a>
)

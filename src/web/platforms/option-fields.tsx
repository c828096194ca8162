import type { ReactNode } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PanelProps } from '#web/video/form/panel.ts'
import { InstagramFields } from './instagram/composer-fields.tsx'
import { instagramOptions } from './instagram/composer-options.ts'
import { readStored, type StoredOptions } from './option-panels.tsx'
import { TikTokFields } from './tiktok/composer-fields.tsx'
import { tiktokOptions } from './tiktok/composer-options.tsx'

type Props = Omit<PanelProps<StoredOptions>, 'value'> & { readonly value: StoredOptions | null }

/** Each platform's fields for stored options. Not in `option-panels.tsx`: they are loaded once a row is opened. */
export const OPTION_FIELDS: Record<PlatformId, (props: Props) => ReactNode> = {
  tiktok: (props) => <TikTokFields {...props} value={readStored(tiktokOptions, props.value)} />,
  instagram: (props) => <InstagramFields {...props} value={readStored(instagramOptions, props.value)} />,
}

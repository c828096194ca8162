import type { ReactNode } from 'react'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { PanelProps } from '#web/platforms/kit/panel.ts'
import { InstagramFields } from '#web/platforms/instagram/composer-fields.tsx'
import { instagramOptions } from '#web/platforms/instagram/composer-options.ts'
import { readStored, type StoredOptions } from './option-panels.tsx'
import { TikTokFields } from '#web/platforms/tiktok/composer-fields.tsx'
import { tiktokOptions } from '#web/platforms/tiktok/composer-options.tsx'
import { YouTubeFields } from '#web/platforms/youtube/composer-fields.tsx'
import { youtubeOptions } from '#web/platforms/youtube/composer-options.ts'

type Props = Omit<PanelProps<StoredOptions>, 'value'> & { readonly value: StoredOptions | null }

/** Each platform's fields for stored options. Not in `option-panels.tsx`: they are loaded once a row is opened. */
export const OPTION_FIELDS: Record<PlatformId, (props: Props) => ReactNode> = {
  tiktok: (props) => <TikTokFields {...props} value={readStored(tiktokOptions, props.value)} />,
  instagram: (props) => <InstagramFields {...props} value={readStored(instagramOptions, props.value)} />,
  youtube: (props) => <YouTubeFields {...props} value={readStored(youtubeOptions, props.value)} />,
}

import { Checkbox } from '@mantine/core'
import type { PanelProps } from '#web/platforms/kit/panel.ts'

/** A shared reel is also on the profile's grid. */
export const ShareToFeed = <Value extends { readonly shareToFeed: boolean }>({
  value,
  onChange,
  disabled,
}: PanelProps<Value>) => (
  <Checkbox
    label="Share to feed"
    description="Also show it on the profile's grid, not only under Reels."
    checked={value.shareToFeed}
    onChange={(event) => onChange({ ...value, shareToFeed: event.currentTarget.checked })}
    disabled={disabled}
  />
)

import { Button, Group, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { OPTIONS_OF_ONE_VIDEO, type PlatformId } from '#contract/platforms/index.ts'
import type { Preset } from '#contract/presets.ts'
import type { PanelContext } from '#web/platforms/kit/panel.ts'
import { OPTION_PANELS, type StoredOptions } from '#web/platforms/option-panels.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { PresetPopover } from './preset-popover.tsx'

type Props = {
  platform: PlatformId
  /** Whose options they are: "@northwind" or "all TikTok accounts". */
  whose: string
  value: StoredOptions | null
  onChange: (options: StoredOptions) => void
  context: PanelContext
  disabled: boolean
}

/** Presets of a platform's options: applied by a press only, and then changed like any others. */
export function OptionPresets({ platform, whose, value, onChange, context, disabled }: Props) {
  const panel = OPTION_PANELS[platform]
  const current = withoutOneVideos(platform, panel.read(value))
  /** What was applied last, while the options are still as it made them. */
  const [applied, setApplied] = useState<{ note: string; options: string } | null>(null)
  const apply = (preset: Preset) => {
    if (preset.kind !== 'options') return
    const options = panel.withValues(value, preset.content.options)
    if (options === null)
      return setApplied({
        note: `“${preset.name}” was saved by another version, which had other options. Nothing is changed.`,
        options: JSON.stringify(current),
      })
    onChange(options)
    const unoffered = panel.unoffered(options, context)
    setApplied({
      note: [`“${preset.name}” is applied.`, unoffered].filter(Boolean).join(' '),
      options: JSON.stringify(withoutOneVideos(platform, options)),
    })
  }
  return (
    <Group justify="flex-end" gap="0.25rem 0.625rem">
      {applied?.options === JSON.stringify(current) && (
        <Text component="output" size="xs" c="dimmed" flex="1 1 12rem">
          {applied.note}
        </Text>
      )}
      <PresetPopover
        label={`Presets for ${whose}`}
        align="end"
        isOffered={(preset) => preset.kind === 'options' && preset.content.platform === platform}
        current={{ kind: 'options', content: { platform, options: current } }}
        words={WORDS}
        describe={(preset) =>
          preset.kind === 'options'
            ? panel.summary(panel.withValues(null, preset.content.options), context)
            : ''
        }
        onChoose={apply}
        renderButton={(onClick) => (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Presets for ${whose}`}
            rightSection={<IconChevronDown {...ICON} size={14} />}
            disabled={disabled}
            onClick={onClick}
          >
            Presets
          </Button>
        )}
      />
    </Group>
  )
}

const WORDS = {
  none: 'No preset yet. Choose the options that you often use, and save them here.',
  save: 'Save these options as a preset…',
  replace: 'Replace with these options',
  note: 'Without what belongs to one video: title, cover and first comment.',
}

/** What nobody has chosen is left out, too: a preset then leaves it as it is. */
const withoutOneVideos = (platform: PlatformId, options: StoredOptions): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value !== null && !OPTIONS_OF_ONE_VIDEO[platform].includes(name),
    ),
  )

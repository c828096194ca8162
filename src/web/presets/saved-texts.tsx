import { ActionIcon } from '@mantine/core'
import { IconTextPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BrandId } from '#contract/ids.ts'
import type { Preset } from '#contract/presets.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { ICON } from '#web/ui/icons.tsx'
import { PresetPopover } from './preset-popover.tsx'
import { presetsQuery, type PresetOf } from './presets-query.ts'

type Props = {
  /** The brands that the caption goes to; empty: nobody knows yet. */
  brandIds: ReadonlySet<BrandId>
  /** The text to be saved: what is selected, else the whole caption. */
  readText: () => string
  onChoose: (saved: PresetOf<'text'>) => void
  /** It was closed, whether or not a text was chosen. */
  onClosed: () => void
  disabled: boolean
}

/** Texts to insert into a caption: hashtags, signatures, blocks. */
export function SavedTexts({ brandIds, readText, onChoose, onClosed, disabled }: Props) {
  const [text, setText] = useState('')
  const { data: brands = [] } = useQuery(brandsQuery)
  const describe = (preset: Preset): string => {
    if (preset.kind !== 'text') return ''
    const brand = brands.find(({ brand_id }) => brand_id === preset.brand_id)
    const shown = preset.content.text.trim().replaceAll(/\s+/g, ' ')
    return brand ? `${brand.title} · ${shown}` : shown
  }
  return (
    <PresetPopover
      label="Saved texts"
      align="end"
      isOffered={(preset) => isOffered(preset, brandIds)}
      current={text.trim() === '' ? null : { kind: 'text', brand_id: null, content: { text } }}
      words={{
        none: 'No text yet. Write hashtags or a signature, select it, and save it here.',
        save: 'Save this text…',
      }}
      describe={describe}
      onChoose={(preset) => preset.kind === 'text' && onChoose(preset)}
      onClosed={onClosed}
      renderButton={(onClick) => (
        <ActionIcon
          size="2rem"
          variant="subtle"
          color="gray"
          aria-label="Saved texts"
          disabled={disabled}
          onClick={() => {
            setText(readText())
            onClick()
          }}
        >
          <IconTextPlus {...ICON} />
        </ActionIcon>
      )}
    />
  )
}

const isOffered = (preset: Preset, brandIds: ReadonlySet<BrandId>): preset is PresetOf<'text'> =>
  preset.kind === 'text' && (preset.brand_id === null || brandIds.size === 0 || brandIds.has(preset.brand_id))

const OFFERED_MAX = 8

/** The saved texts whose names have what is typed. @param typed after `/`; null: no name is typed */
export function useTextsNamed(typed: string | null, brandIds: ReadonlySet<BrandId>): PresetOf<'text'>[] {
  const { data: presets = [] } = useQuery({ ...presetsQuery, enabled: typed !== null })
  if (typed === null) return []
  const part = typed.toLowerCase()
  return presets
    .filter((preset) => isOffered(preset, brandIds))
    .filter(({ name }) => name.toLowerCase().includes(part))
    .slice(0, OFFERED_MAX)
}

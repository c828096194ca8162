import type { ReactNode } from 'react'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import type { FieldErrors, OptionsPanel, PanelContext, Validation } from '#web/video/form/panel.ts'
import { instagramOptions } from './instagram/options.tsx'
import { tiktokOptions } from './tiktok/options.tsx'

/** A panel's value as a draft stores it. */
export type StoredOptions = Readonly<Record<string, unknown>>

type FieldsProps = {
  readonly value: StoredOptions | null
  readonly onChange: (value: StoredOptions) => void
  readonly errors: FieldErrors
  readonly disabled: boolean
  readonly context: PanelContext
}

/** A platform's panel over stored values; null and unreadable ones stand for the default. */
export type StoredPanel = {
  readonly needsOptions: boolean
  readonly validate: (value: StoredOptions | null, context: PanelContext) => Validation<StoredOptions>
  readonly Fields: (props: FieldsProps) => ReactNode
  readonly summary: (value: StoredOptions | null, context: PanelContext) => string
  readonly fromOptions: (options: unknown) => StoredOptions
  readonly coverMs: (value: StoredOptions | null) => number
  readonly withCover: (value: StoredOptions | null, coverMs: number) => StoredOptions
  readonly Terms?: () => ReactNode
}

/** Hides the type of a panel's value, so that panels of several platforms can be used side by side. */
function overStored<Value extends StoredOptions, Options extends StoredOptions>(
  panel: OptionsPanel<Value, Options>,
): StoredPanel {
  const read = (stored: StoredOptions | null): Value => panel.schema.safeParse(stored).data ?? panel.empty
  return {
    needsOptions: panel.needsOptions,
    validate: (stored, context) => panel.validate(read(stored), context),
    Fields: ({ value, ...props }) => <panel.Fields {...props} value={read(value)} />,
    summary: (stored, context) => panel.summary(read(stored), context),
    fromOptions: panel.fromOptions,
    coverMs: (stored) => panel.coverMs(read(stored)),
    withCover: (stored, coverMs) => panel.withCover(read(stored), coverMs),
    ...(panel.Terms && { Terms: panel.Terms }),
  }
}

/** Each platform's options, where several accounts get one video. */
export const OPTION_PANELS: Record<PlatformId, StoredPanel> = {
  tiktok: overStored(tiktokOptions),
  instagram: overStored(instagramOptions),
}

type PlatformOptions = Partial<Record<PlatformId, StoredOptions>>

/** The cover's moment, in ms: the same for every platform. */
export const coverOf = (options: PlatformOptions): number =>
  Math.max(...PLATFORM_IDS.map((id) => OPTION_PANELS[id].coverMs(options[id] ?? null)))

export const withCover = (options: PlatformOptions, coverMs: number): Record<PlatformId, StoredOptions> => ({
  tiktok: OPTION_PANELS.tiktok.withCover(options.tiktok ?? null, coverMs),
  instagram: OPTION_PANELS.instagram.withCover(options.instagram ?? null, coverMs),
})

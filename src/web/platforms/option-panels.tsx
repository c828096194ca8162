import type { ReactNode } from 'react'
import {
  COVER_OPTIONS,
  PLATFORM_IDS,
  type AccountOptions,
  type PlatformId,
} from '#contract/platforms/index.ts'
import type { OptionsPanel, PanelContext, PictureShown, Validation } from '#web/platforms/kit/panel.ts'
import { instagramOptions } from '#web/platforms/instagram/composer-options.ts'
import { tiktokOptions } from '#web/platforms/tiktok/composer-options.tsx'
import { youtubeOptions } from '#web/platforms/youtube/composer-options.ts'

/** A panel's value as a draft stores it. */
export type StoredOptions = Readonly<Record<string, unknown>>

/** A platform's panel over stored values; null and unreadable ones stand for the default. */
export type StoredPanel = {
  readonly read: (value: StoredOptions | null) => StoredOptions
  /** The options with some values changed; null: these are not the platform's. */
  readonly withValues: (value: StoredOptions | null, changed: StoredOptions) => StoredOptions | null
  /** Says which choice is not offered now; null: all are. */
  readonly unoffered: (value: StoredOptions, context: PanelContext) => string | null
  readonly needsOptions: boolean
  readonly validate: (value: StoredOptions | null, context: PanelContext) => Validation<StoredOptions>
  readonly fields: readonly string[]
  /** The options without what an optional field asks for; null: it cannot be left out. */
  readonly leaveOut: (
    field: string,
    value: StoredOptions | null,
  ) => { readonly label: string; readonly options: StoredOptions } | null
  readonly summary: (value: StoredOptions | null, context: PanelContext) => string
  readonly fromOptions: (options: unknown) => StoredOptions
  readonly coverMs: (value: StoredOptions | null) => number
  readonly withCover: (value: StoredOptions | null, coverMs: number) => StoredOptions
  readonly toInbox: (value: StoredOptions | null) => boolean
  /** The words that the app shows over the video. */
  readonly shownText: (value: StoredOptions | null, context: PanelContext) => string
  /** The own picture as cover; null: none. */
  readonly pictureId: (value: StoredOptions | null) => number | null
  readonly pictureShown: PictureShown | null
  /** Absent: the platform takes none. */
  readonly withPicture?: (value: StoredOptions | null, pictureId: number | null) => StoredOptions
  readonly mergeOptions: (all: readonly AccountOptions[]) => AccountOptions | null
  readonly isPersonal: (value: StoredOptions | null) => boolean
  readonly Terms?: (props: { readonly values: readonly (StoredOptions | null)[] }) => ReactNode
}

/**
 * The value of a stored record. One of an earlier version lacks what the panel has learned since; in a draft that the server has
 * made of a post, the options are as they were `posted`.
 */
export const readStored = <Value extends StoredOptions>(
  { schema, empty, fromOptions }: Pick<OptionsPanel<Value, never>, 'schema' | 'empty' | 'fromOptions'>,
  stored: StoredOptions | null,
): Value =>
  typeof stored?.['posted'] === 'object'
    ? fromOptions(stored['posted'])
    : (schema.safeParse({ ...empty, ...stored }).data ?? empty)

/** Hides the type of a panel's value, so that panels of several platforms can be used side by side. */
function overStored<Value extends StoredOptions, Options extends StoredOptions>(
  panel: OptionsPanel<Value, Options>,
): StoredPanel {
  const { Terms, picture } = panel
  const read = (stored: StoredOptions | null): Value => readStored(panel, stored)
  return {
    read,
    withValues: (stored, changed) => panel.schema.safeParse({ ...read(stored), ...changed }).data ?? null,
    unoffered: (stored, context) => panel.unoffered?.(read(stored), context) ?? null,
    needsOptions: panel.needsOptions,
    validate: (stored, context) => panel.validate(read(stored), context),
    fields: panel.fields,
    leaveOut: (field, stored) => {
      const without = panel.withoutFields[field]
      return without ? { label: without.label, options: without.apply(read(stored)) } : null
    },
    summary: (stored, context) => panel.summary(read(stored), context),
    fromOptions: panel.fromOptions,
    coverMs: (stored) => panel.coverMs(read(stored)),
    withCover: (stored, coverMs) => panel.withCover(read(stored), coverMs),
    toInbox: (stored) => panel.toInbox?.(read(stored)) ?? false,
    shownText: (stored, context) => panel.shownText?.(read(stored), context) ?? context.text,
    pictureShown: picture ?? null,
    pictureId: (stored) => picture?.of(read(stored)) ?? null,
    mergeOptions: panel.mergeOptions ?? ((all) => all[0] ?? null),
    isPersonal: (stored) => panel.isPersonal?.(read(stored)) ?? false,
    ...(picture && { withPicture: (stored, pictureId) => picture.with(read(stored), pictureId) }),
    ...(Terms && { Terms: ({ values }) => <Terms values={values.map(read)} /> }),
  }
}

/** Each platform's options, where several accounts get one video. */
export const OPTION_PANELS: Record<PlatformId, StoredPanel> = {
  tiktok: overStored(tiktokOptions),
  instagram: overStored(instagramOptions),
  youtube: overStored(youtubeOptions),
}

type PlatformOptions = Partial<Record<PlatformId, StoredOptions>>

/** The cover's moment, in ms: the same for every platform. */
export const coverOf = (options: PlatformOptions): number =>
  Math.max(...PLATFORM_IDS.map((id) => OPTION_PANELS[id].coverMs(options[id] ?? null)))

export const withCover = (options: PlatformOptions, coverMs: number): Record<PlatformId, StoredOptions> => ({
  tiktok: OPTION_PANELS.tiktok.withCover(options.tiktok ?? null, coverMs),
  instagram: OPTION_PANELS.instagram.withCover(options.instagram ?? null, coverMs),
  youtube: OPTION_PANELS.youtube.withCover(options.youtube ?? null, coverMs),
})

/** An own picture stands in for the frame on some platform that would show it. */
export const replacesCover = (options: PlatformOptions): boolean =>
  PLATFORM_IDS.some(
    (id) => COVER_OPTIONS[id] !== null && OPTION_PANELS[id].pictureId(options[id] ?? null) !== null,
  )

import type { BrandId } from '#contract/ids.ts'

/** The golden angle: brands made one after the other get hues far apart, however many there are. */
const GOLDEN_ANGLE = 137.508

/** A brand's colour, which it keeps in every place and in both schemes. null: of several brands. */
export const brandColor = (brandId: BrandId | null): string =>
  brandId === null
    ? 'var(--r-field-line)'
    : `oklch(var(--r-brand-lightness) ${CHROMA} ${Math.round((brandId * GOLDEN_ANGLE) % 360)})`

const CHROMA = 0.13

import type { BrandColor } from '#contract/brands.ts'
import type { BrandId } from '#contract/ids.ts'

/** The golden angle: brands made one after the other get hues far apart, however many there are. */
const GOLDEN_ANGLE = 137.508
const CHROMA = 0.13

/** Hues of one lightness, so that all of them suit both schemes. */
const HUES: Record<Exclude<BrandColor, 'grey'>, number> = {
  red: 25,
  orange: 50,
  amber: 85,
  green: 150,
  teal: 190,
  blue: 240,
  indigo: 275,
  purple: 305,
  pink: 350,
}

/** A brand's colour in every place and in both schemes: the one that was chosen, else that of its number. `brandId` null: of several brands. */
export function brandColor(brandId: BrandId | null, chosen: BrandColor | null = null): string {
  if (chosen !== null) return chosen === 'grey' ? oklch(0, 0) : oklch(CHROMA, HUES[chosen])
  return brandId === null ? 'var(--r-field-line)' : oklch(CHROMA, Math.round((brandId * GOLDEN_ANGLE) % 360))
}

const oklch = (chroma: number, hue: number): string => `oklch(var(--r-brand-lightness) ${chroma} ${hue})`

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BrandColor } from '#contract/brands.ts'
import { BrandId } from '#contract/ids.ts'
import { brandColor } from './brand-color.ts'

const css = readFileSync(new URL('theme.css', import.meta.url), 'utf8')
const own = Array.from({ length: 360 }, (_, i) => brandColor(BrandId.parse(i + 1)))
const colors = [...own, ...BrandColor.options.map((color) => brandColor(BrandId.parse(1), color))]

test('a brand keeps its colour, and brands made one after the other look different', () => {
  expect(brandColor(BrandId.parse(7))).toBe(brandColor(BrandId.parse(7)))
  const hues = own.slice(0, 8).map((color) => Number(/(\d+)\)$/.exec(color)?.[1]))
  for (const [i, hue] of hues.entries())
    for (const other of hues.slice(i + 1)) {
      const apart = Math.abs(hue - other)
      expect(Math.min(apart, 360 - apart)).toBeGreaterThan(20)
    }
})

test.each(['light', 'dark'] as const)(
  'every brand colour has 3:1 on the grounds of the %s scheme',
  (scheme) => {
    const block = css.split(`:root[data-mantine-color-scheme='${scheme}'] {`)[1]?.split('}')[0] ?? ''
    const token = (name: string) => new RegExp(`--r-${name}: ([^;]+);`).exec(block)?.[1] ?? ''
    for (const color of colors) {
      const [, chroma = '', hue = ''] = /\) ([\d.]+) (\d+)\)$/.exec(color) ?? []
      const shown = luminanceOfOklch(Number(token('brand-lightness')), Number(chroma), Number(hue))
      for (const ground of ['background', 'surface', 'hover']) {
        const [lower, upper] = [shown, luminanceOfHex(token(ground))].toSorted((a, b) => a - b)
        expect(((upper ?? 0) + 0.05) / ((lower ?? 0) + 0.05), `${color} on ${ground}`).toBeGreaterThanOrEqual(
          3,
        )
      }
    }
  },
)

/** Relative luminance (WCAG), by the matrices of CSS Color 4. */
function luminanceOfOklch(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return luminance(
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  )
}

/** In linear sRGB; colours that a screen cannot show are clipped. */
const luminance = (...rgb: readonly [number, number, number]): number => {
  const [red, green, blue] = rgb.map((part) => Math.min(1, Math.max(0, part)))
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

function luminanceOfHex(hex: string): number {
  const linear = (from: number) => {
    const part = Number.parseInt(hex.slice(from, from + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  return luminance(linear(1), linear(3), linear(5))
}

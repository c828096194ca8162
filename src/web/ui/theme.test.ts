import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { theme } from './theme.ts'

const css = readFileSync(new URL('theme.css', import.meta.url), 'utf8')

/** The tokens of a scheme that are plain colours. */
function tokens(scheme: 'light' | 'dark'): Record<string, string> {
  const block = css.split(`:root[data-mantine-color-scheme='${scheme}'] {`)[1]?.split('}')[0] ?? ''
  const found: Record<string, string> = {}
  for (const [, name = '', hex = ''] of block.matchAll(/--r-([\w-]+): (#\w{6});/g)) found[name] = hex
  return found
}

/** WCAG 2.2: from 1 (the same) to 21 (black on white). */
function contrast(one: string | undefined, other: string | undefined): number {
  const [lower, upper] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return ((upper ?? 0) + 0.05) / ((lower ?? 0) + 0.05)
}

function luminance(hex = '#000000'): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const part = Number.parseInt(hex.slice(from, from + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The statuses are the only coloured words. */
const WORDS = [
  'ink',
  'muted',
  'accent',
  'draft',
  'scheduled',
  'working',
  'published',
  'attention',
  'held',
  'failed',
]
const AA = 4.5

describe.each(['light', 'dark'] as const)('the %s theme', (scheme) => {
  const colors = tokens(scheme)

  it.each(WORDS)(
    'shows %s as text with AA contrast on the page, on cards and on what is pointed at',
    (word) => {
      for (const ground of ['background', 'surface', 'hover'])
        expect(contrast(colors[word], colors[ground]), ground).toBeGreaterThanOrEqual(AA)
    },
  )

  it('keeps AA contrast on the accent and its soft background', () => {
    expect(contrast(colors['on-accent'], colors['accent'])).toBeGreaterThanOrEqual(AA)
    expect(contrast(colors['on-accent'], colors['accent-hover'])).toBeGreaterThanOrEqual(AA)
    expect(contrast(colors['accent'], colors['accent-soft'])).toBeGreaterThanOrEqual(AA)
    expect(contrast(colors['ink'], colors['accent-soft'])).toBeGreaterThanOrEqual(AA)
    expect(contrast(colors['surface'], colors['failed'])).toBeGreaterThanOrEqual(AA)
  })

  it('outlines fields with a contrast of 3:1', () => {
    for (const ground of ['background', 'surface', 'hover'])
      expect(contrast(colors['field-line'], colors[ground]), ground).toBeGreaterThanOrEqual(3)
  })

  it('defines every colour for light and dark', () => {
    expect(Object.keys(colors)).toEqual(Object.keys(tokens('light')))
  })
})

const px = (rem: string | undefined) => Number.parseFloat(rem ?? '') * 16

describe('the scales of the theme', () => {
  it('has four text sizes with line heights in steps of 4 px', () => {
    expect(Object.values(theme.fontSizes ?? {}).map(px)).toEqual([13, 14, 14, 15, 22])
    for (const height of [...Object.values(theme.lineHeights ?? {}).slice(0, 3), theme.lineHeights?.xl])
      expect(px(height) % 4).toBe(0)
  })

  it('spaces fields by 16 px, blocks by 24 and the page margin by 36', () => {
    const { md, lg, xl } = theme.spacing ?? {}
    expect([md, lg, xl].map(px)).toEqual([16, 24, 36])
    for (const space of Object.values(theme.spacing ?? {})) expect(px(space) % 4).toBe(0)
  })

  it('rounds controls by 8 px, cards by 12 and the phone preview by 18', () => {
    const { md, lg, xl } = theme.radius ?? {}
    expect([md, lg, xl].map((radius) => px(String(radius)))).toEqual([8, 12, 18])
    expect(theme.defaultRadius).toBe('md')
  })
})

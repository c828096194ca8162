import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

// A browser may lack storage or a zone, and have an old list of zones and a wrong clock: each is read in one place that
// handles this.

const web = fileURLToPath(new URL('../../src/web/', import.meta.url))

type Source = { readonly file: string; readonly code: string }

const sources: Source[] = globSync('**/*.{ts,tsx,js}', { cwd: web })
  .filter((file) => !/\.test\.tsx?$|^testing\//.test(file))
  .map((file) => ({ file, code: readFileSync(web + file, 'utf8') }))

const RULES = [
  {
    what: 'the storage',
    pattern: /\b(?:local|session)Storage\b/,
    // The second runs before any module.
    homes: ['lib/storage.ts', 'public/color-scheme.js'],
  },
  {
    what: 'the clock',
    pattern: /\bDate\.now\b|\bnew Date\(\)/,
    // The second compares with another time of the browser's own.
    homes: ['lib/server-time.ts', 'videos/video-source.ts'],
  },
  { what: 'its own zone', pattern: /\bresolvedOptions\b/, homes: ['lib/moments.ts'] },
  {
    what: 'a zone that it may not know',
    pattern: /\bDateTimeFormat\([^)]*\btimeZone(?!: 'UTC')/,
    // The last receives a zone that it knows.
    homes: ['lib/moments.ts', 'lib/time-zones.ts', 'planning/calendar-entries.ts'],
  },
  { what: 'other tabs', pattern: /\bnew BroadcastChannel\b/, homes: ['videos/known-uploads.ts'] },
] as const

const found = (all: readonly Source[]): string[] =>
  all.flatMap(({ file, code }) => {
    const bare = code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    return RULES.filter(
      ({ pattern, homes }) => !homes.some((home) => home === file) && pattern.test(bare),
    ).map(({ what }) => `${file}: ${what}`)
  })

describe('the browser is asked in one place for', () => {
  it('its storage, clock, zone and other tabs', () => expect(found(sources)).toEqual([]))

  it.each([
    ["localStorage.getItem('a')", 'the storage'],
    ['window.sessionStorage', 'the storage'],
    ['at < Date.now()', 'the clock'],
    ['new Date().toISOString()', 'the clock'],
    ['Intl.DateTimeFormat().resolvedOptions().timeZone', 'its own zone'],
    ["new Intl.DateTimeFormat('en', { timeZone: zone })", 'a zone that it may not know'],
    ["new Intl.DateTimeFormat('en', { day: 'numeric', timeZone })", 'a zone that it may not know'],
    ["new BroadcastChannel('a')", 'other tabs'],
  ])('the guard refuses %s elsewhere', (code, what) => {
    expect(found([{ file: 'planted.ts', code }])).toEqual([`planted.ts: ${what}`])
  })

  it('the guard lets UTC, moments and comments be', () => {
    const code = "new Intl.DateTimeFormat('en', { timeZone: 'UTC' })\nnew Date(at)\n// localStorage"
    expect(found([{ file: 'planted.ts', code }])).toEqual([])
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FRONT_PAGES } from '#contract/http/addresses.ts'
import { TIKTOK_PRIVACY_LEVELS } from '#contract/platforms/tiktok.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'

// Texts fixed by the specification have one place: texts and labels contract/texts.ts, addresses contract/http/addresses.ts
// and web/lib/paths.ts, storage keys web/lib/storage-keys.ts.

const src = fileURLToPath(new URL('../../src/', import.meta.url))

type Source = { readonly file: string; readonly code: string }

const sources: Source[] = ['web', 'server', 'identity', 'base', 'domain'].flatMap((zone) =>
  readdirSync(path.join(src, zone), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.(?:tsx?|js)$/.test(file))
    .map((file) => ({ file: `${zone}/${file}`, code: readFileSync(path.join(src, zone, file), 'utf8') })),
)

type Rule = {
  readonly what: string
  readonly pattern: RegExp
  /** Files that may repeat it. */
  readonly home?: RegExp
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
/** Matches a complete text between quotes or tags. */
const whole = (text: string) => new RegExp(`(?:['"\`]|>\\s*)${literally(text)}(?:['"\`]|\\s*<)`)

const RULES: Rule[] = [
  ...Object.values(TEXTS).map((text) => ({
    what: `the text "${text}"`,
    pattern: new RegExp(literally(text)),
  })),
  // A label of one word is an ordinary word too; longer ones are repeated only by mistake.
  ...Object.values(LABELS)
    .filter((label) => label.includes(' '))
    .map((label) => ({ what: `the label "${label}"`, pattern: whole(label) })),
  ...TIKTOK_PRIVACY_LEVELS.map((level) => ({
    what: `the level ${level}`,
    pattern: whole(level),
    // In the platform's own folder the compiler knows the levels.
    home: /^web\/platforms\/tiktok\//,
  })),
  {
    what: 'a key of the storage',
    pattern: /(?:get|set|remove)Item\(\s*['"`]/,
    // A separate script that runs before any module: the test below keeps it in step.
    home: /^web\/public\/color-scheme\.js$/,
  },
  { what: 'the prefix of the API', pattern: /['"`]\/api\/v1/, home: /^web\/vite\.config\.ts$/ },
  {
    what: 'an address of the dashboard',
    pattern: /['"`]\/dashboard\b|\$\{[^}]*\}\/dashboard\b/,
    home: /^web\/(?:lib\/paths|app\/routes)\.tsx?$/,
  },
]

/** A sentence for each repetition. */
const seconds = (files: readonly Source[]): string[] =>
  files.flatMap(({ file, code }) => {
    const bare = code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    return RULES.filter(({ pattern, home }) => !home?.test(file) && pattern.test(bare)).map(
      ({ what }) => `${file}: ${what}`,
    )
  })

describe('what the specification fixes', () => {
  it('stands once', () => expect(seconds(sources)).toEqual([]))

  it('is the same in the script that runs before the first paint', () => {
    const before = sources.find(({ file }) => file === 'web/public/color-scheme.js')?.code ?? ''
    const keys = sources.find(({ file }) => file === 'web/lib/storage-keys.ts')?.code ?? ''
    const key = /getItem\('(\w+)'\)/.exec(before)?.[1] ?? 'none'
    const dark = /pathname === '([^']+)'/.exec(before)?.[1] ?? 'none'
    expect(keys).toContain(`darkMode: '${key}'`)
    expect(dark).toBe(FRONT_PAGES.signUp)
  })
})

describe('the guard refuses', () => {
  it.each([
    ['a text', "const said = 'No brands available.'", 'the text "No brands available."'],
    ['a text between tags', '<p>\n  Saving...\n</p>', 'the text "Saving..."'],
    ['a label', '<Button>\n  Add Account\n</Button>', 'the label "Add Account"'],
    ['a label in quotes', '<TextInput label="Brand Name" />', 'the label "Brand Name"'],
    ['a privacy level', "const level = 'SELF_ONLY'", 'the level SELF_ONLY'],
    ['a key of the storage', "localStorage.setItem('userData', '')", 'a key of the storage'],
    ['an address', "navigate('/dashboard/queue')", 'an address of the dashboard'],
    ['the prefix of the API', "fetch('/api/v1/user')", 'the prefix of the API'],
    ['an address behind an origin', 'const to = `${origin}/dashboard/help`', 'an address of the dashboard'],
  ])('%s', (_what, code, says) => {
    expect(seconds([{ file: 'web/planted.tsx', code }])).toEqual([`web/planted.tsx: ${says}`])
  })

  it('nothing that a comment says', () => {
    expect(
      seconds([{ file: 'web/a.ts', code: "// 'No brands available.' is shown\n/** Saving... */" }]),
    ).toEqual([])
  })
})

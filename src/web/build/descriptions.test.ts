import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { withoutDescriptions } from './descriptions.ts'

it('what only the API documentation says is left out, and nothing else', () => {
  const lines = [
    `a: z.string().describe('It is "so" (here).').nullable(),`,
    `b: z`,
    `  .int()`,
    `  .describe(`,
    '    `At most ${MAX}.`,',
    `  ),`,
    `c: z.string("It's .describe"),`,
    `summary:`,
    `  "Delete it. It's gone",`,
    `tag: 'Videos',`,
    `limitedKeys: 'any',`,
    `problems: ['invalid', 'not_found'],`,
    `file: { field: 'logo', description: 'A picture.' },`,
  ]
  expect(withoutDescriptions(lines.join('\n'))).toBe(
    [
      'a: z.string().nullable(),',
      'b: z',
      '  .int(),',
      `c: z.string("It's .describe"),`,
      `summary: '',`,
      `tag: '',`,
      ``,
      `problems: [],`,
      `file: { field: 'logo', description: '' },`,
    ].join('\n'),
  )
})

it('no description of the contract is left', async () => {
  const contract = fileURLToPath(new URL('../../contract', import.meta.url))
  const files = (await readdir(contract, { recursive: true })).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(10)
  for (const name of files) {
    const code = await readFile(path.join(contract, name), 'utf8')
    const left = withoutDescriptions(code)
    expect(left, name).not.toContain('.describe(')
    expect(left, name).not.toMatch(/summary:\s*[`'"][^`'"]/)
  }
})

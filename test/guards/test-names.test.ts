import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MAX_CHARS = 90

/** The names longer than that; a name made of a template is not counted. */
const longNamesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:it|test)\(\s*(['"])(.+?)\1,/g)]
    .map(([, , name = '']) => name)
    .filter((name) => name.length > MAX_CHARS)

it('test names have at most 90 characters', () => {
  const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx', '*.spec.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const found = files
    .trim()
    .split('\n')
    .flatMap((file) =>
      longNamesIn(readFileSync(path.join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
    )
  expect(found).toEqual([])
})

it('the guard sees names in both quotes and across lines', () => {
  const long = 'x'.repeat(MAX_CHARS + 1)
  expect(longNamesIn(`it('${long}', () => {})\ntest(\n  "${long}",\n  run)\nit('short', run)`)).toEqual([
    long,
    long,
  ])
})

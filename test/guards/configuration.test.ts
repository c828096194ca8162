import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

it('docs/configuration.md lists every setting that the server reads, and no other', () => {
  const settings = [...read('src/server/runtime/variables.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(
    ([, name]) => name,
  )
  const listed = [...read('docs/configuration.md').matchAll(/`([A-Z][A-Z_]{3,})(?=[`=])/g)].map(
    ([, name]) => name,
  )
  expect(settings.length).toBeGreaterThan(20)
  expect(new Set(listed)).toEqual(new Set(settings))
})

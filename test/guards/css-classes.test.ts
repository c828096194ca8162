import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// The types of style sheets know no names: a class that is not there would only be missed by eye.

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** Names of classes that `code` takes from style sheets which do not have them. */
function findMissing(file: string, code: string, readSheet: (file: string) => string): string[] {
  return [...code.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].flatMap(
    ([, name = '', from = '']) => {
      const sheet = from.startsWith('#web/')
        ? from.replace('#', '')
        : path.posix.join(path.posix.dirname(file), from)
      const defined = new Set([...readSheet(sheet).matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, one]) => one))
      const used = [...code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, one]) => one)
      return used.filter((one) => !defined.has(one)).map((one) => `${file}: ${name}.${one}`)
    },
  )
}

it('every class that the web application uses is in its style sheet', () => {
  const files = globSync('web/**/*.{ts,tsx}', { cwd: src })
  const read = (file: string) => readFileSync(path.join(src, file), 'utf8')
  expect(files.flatMap((file) => findMissing(file, read(file), read))).toEqual([])
})

const readRowSheet = (file: string) => (file === 'web/posts/row.module.css' ? '.row { top: 0.5rem }' : '')

it('the guard names a class that a style sheet lacks', () => {
  const code = "import classes from './row.module.css'\nconst all = [classes.row, classes.gone]"
  expect(findMissing('web/posts/row.tsx', code, readRowSheet)).toEqual(['web/posts/row.tsx: classes.gone'])
})

import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Source = { readonly file: string; readonly code: string }

/** Every import across folders, including type imports. */
function folderImports(sources: readonly Source[]): { from: string; to: string; file: string }[] {
  const known = new Set(sources.map(({ file }) => file))
  return sources.flatMap(({ file, code }) =>
    [...code.matchAll(/(?:from|import)\s*\(?\s*'([#.][^']+)'/g)].flatMap(([, specifier = '']) => {
      const target = specifier.startsWith('#')
        ? `src/${specifier.slice(1)}`
        : path.posix.join(path.posix.dirname(file), specifier)
      const [from, to] = [path.posix.dirname(file), path.posix.dirname(target)]
      return known.has(target) && from !== to ? [{ from, to, file }] : []
    }),
  )
}

/** A line for each pair of folders that import each other, with one file of each direction. */
function mutualImports(sources: readonly Source[]): string[] {
  const findFile = new Map(folderImports(sources).map(({ from, to, file }) => [`${from} ${to}`, file]))
  return [...findFile.keys()].flatMap((pair) => {
    const [from = '', to = ''] = pair.split(' ')
    const back = findFile.get(`${to} ${from}`)
    return from < to && back !== undefined ? [`${findFile.get(pair)} <-> ${back}`] : []
  })
}

const readSources = (pattern: string): Source[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll(path.sep, '/'))
    .map((file) => ({ file, code: readFileSync(path.join(root, file), 'utf8') }))

/** Without tests, which stand beside what they test. */
const sources = readSources('src/**/*.{ts,tsx}').filter(({ file }) => !/\.test\.tsx?$/.test(file))
const all = [...sources, ...readSources('{scripts,test}/**/*.{ts,mjs}')]

it('no two folders import each other', () => expect(mutualImports(all)).toEqual([]))

it('the guard names two folders that import each other', () => {
  const planted = [
    { file: 'src/web/a/one.ts', code: "import { two } from '#web/b/two.ts'" },
    { file: 'src/web/b/two.ts', code: "import type { One } from '../a/one.ts'" },
    { file: 'src/web/b/three.ts', code: "export const load = () => import('./two.ts')" },
  ]
  expect(mutualImports(planted)).toEqual(['src/web/a/one.ts <-> src/web/b/two.ts'])
})

/** Layers from the lowest to the highest: a folder imports only folders of lower layers. */
const layers = z
  .array(z.array(z.string()))
  .parse(JSON.parse(readFileSync(path.join(root, 'src/web/layers.json'), 'utf8')))
const findLayer = (folder: string) =>
  layers.findIndex((layer) => layer.includes(folder.replace('src/web/', '')))
const isWeb = (folder: string) => folder.startsWith('src/web/') && folder !== 'src/web/build'

/** A line for each import in the web application that goes sideways or up. */
const upwardImports = (from: readonly Source[]): string[] =>
  folderImports(from)
    .filter((found) => isWeb(found.from) && isWeb(found.to) && findLayer(found.from) <= findLayer(found.to))
    .map(({ file, to }) => `${file} -> ${to}`)

it('every folder of the web application has its layer', () => {
  const folders = new Set(sources.map(({ file }) => path.posix.dirname(file)).filter(isWeb))
  expect([...folders].filter((folder) => findLayer(folder) === -1)).toEqual([])
})

it('folders of the web application import lower layers only', () =>
  expect(upwardImports(sources)).toEqual([]))

it('the guard names an import of a higher layer', () => {
  const planted = [
    { file: 'src/web/posts/one.ts', code: "import { two } from '#web/accounts/two.ts'" },
    { file: 'src/web/accounts/two.ts', code: "import { three } from '#web/lib/three.ts'" },
    { file: 'src/web/lib/three.ts', code: '' },
  ]
  expect(upwardImports(planted)).toEqual(['src/web/posts/one.ts -> src/web/accounts'])
})

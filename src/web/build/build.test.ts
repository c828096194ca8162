import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chunkGroups } from './chunks.ts'
import { compressFiles } from './compress.ts'
import { hintPages } from './hints.ts'
import { weighPages, type Page } from './weight.ts'

/** Text that hardly compresses: hex digits carry half a byte each. */
const heavy = (bytes: number) => JSON.stringify(randomBytes(bytes).toString('hex'))

/** A light entry, a page of 20 kB with 20 kB of style, and 40 kB that load on demand. */
const APP = {
  'index.html':
    '<!doctype html>\n<html>\n  <head>\n  </head>\n  <body><div id="root"></div><script type="module" src="/main.ts"></script></body>\n</html>',
  'main.ts': "document.title = 'A page'; void import('./page.ts')",
  'part.ts': `export const part = ${heavy(20_000)}`,
  'page.css': `.page::after { content: ${heavy(20_000)} }`,
  'page.ts':
    "import './page.css'; import { part } from './part.ts'; document.title = part; void import('./later.ts')",
  'later.ts': `document.title = ${heavy(40_000)}`,
}

let root: string
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'reelay-build-'))
  for (const [name, text] of Object.entries(APP)) await writeFile(path.join(root, name), text)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const built = (page: Partial<Page> = {}) =>
  build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [
      weighPages([{ name: 'first', modules: ['page.ts'], maxBytes: 50_000, ...page }]),
      compressFiles(),
    ],
  })

describe('the build of the web app', () => {
  it('writes a document per page, with its shell and preload links', async () => {
    await writeFile(path.join(root, 'shell.html'), '<p>\n  A shell\n</p>\n')
    const page = { modules: ['page.ts'], shell: path.join(root, 'shell.html'), asks: [] }
    await build({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [
        hintPages({
          'index.html': { ...page, paintsFirst: false },
          'other.html': { ...page, paintsFirst: true, asks: ['/api/question'] },
        }),
      ],
    })
    const [first, other] = await Promise.all(
      ['index.html', 'other.html'].map((name) => readFile(path.join(root, 'dist', name), 'utf8')),
    )
    expect(first).toContain('<div id="root"><p>A shell</p></div>')
    expect(first).toMatch(/<link rel="modulepreload" fetchpriority="low" crossorigin href="\/assets\/page-/)
    expect(other).toMatch(/<link rel="after-paint" fetchpriority="low" crossorigin href="\/assets\/page-/)
    expect(other).toContain('<link rel="preload" as="fetch" crossorigin href="/api/question">')
  })

  it('passes a page within its limit and does not count what loads on demand', async () => {
    await built()
    expect(existsSync(path.join(root, 'dist/index.html'))).toBe(true)
  })

  it('fails and writes nothing when a page exceeds its limit', async () => {
    await expect(built({ maxBytes: 30_000 })).rejects.toThrow(
      /The first page would load 4\d\.\d kB of script and style \(gzip\) before its first paint; it may load 30\.0 kB\./,
    )
    expect(existsSync(path.join(root, 'dist/index.html'))).toBe(false)
  })

  it('fails when a budget names a module that does not exist', async () => {
    await expect(built({ modules: ['moved.ts'] })).rejects.toThrow('moved.ts is in no script of the build')
  })

  it('writes a Brotli and a gzip copy beside each larger text file', async () => {
    await built()
    const manifest = await readFile(path.join(root, 'dist/index.html'), 'utf8')
    const script = /\/assets\/[^"]+\.js/.exec(manifest)?.[0] ?? ''
    const file = path.join(root, 'dist', script)
    const text = await readFile(file, 'utf8')
    expect(brotliDecompressSync(await readFile(`${file}.br`)).toString()).toBe(text)
    expect(gunzipSync(await readFile(`${file}.gz`)).toString()).toBe(text)
    expect(existsSync(path.join(root, 'dist/index.html.br'))).toBe(false)
  })

  it('puts a named module and its static imports into one chunk', async () => {
    const groups = chunkGroups(root, [{ name: 'first-page', modules: ['page.ts'] }])
    const output = { codeSplitting: { groups } }
    await build({ root, configFile: false, logLevel: 'silent', build: { rolldownOptions: { output } } })
    const scripts = (await readdir(path.join(root, 'dist/assets'))).filter((file) => file.endsWith('.js'))
    expect(scripts.map((file) => file.replace(/-.{8}\.js$/, ''))).toContain('first-page')
    const first = scripts.find((file) => file.startsWith('first-page')) ?? ''
    expect((await readFile(path.join(root, 'dist/assets', first))).length).toBeGreaterThan(40_000)
  })

  it('refuses a chunk whose module does not exist', () => {
    expect(() => chunkGroups(root, [{ name: 'first-page', modules: ['moved.ts'] }])).toThrow(
      'moved.ts does not exist',
    )
  })
})

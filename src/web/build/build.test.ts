import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compressFiles } from './compress.ts'
import { hintPages } from './hints.ts'
import { weighPages, type Page } from './weight.ts'

/** A text that hardly gets smaller: half a byte of each character carries something. */
const heavy = (bytes: number) => JSON.stringify(randomBytes(bytes).toString('hex'))

/** An app with a light entry, a page of 20 kB with a style of 20 kB, and 40 kB that come only when they are asked for. */
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
  it('writes a document for each page, with its shell and the names of all that it needs first', async () => {
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

  it('passes a page that weighs what it may, counting nothing that comes on demand', async () => {
    await built()
    expect(existsSync(path.join(root, 'dist/index.html'))).toBe(true)
  })

  it('fails with a sentence, and writes nothing, when a page exceeds what it may load before its first paint', async () => {
    await expect(built({ maxBytes: 30_000 })).rejects.toThrow(
      /The first page would load 4\d\.\d kB of script and style \(gzip\) before its first paint; it may load 30\.0 kB\./,
    )
    expect(existsSync(path.join(root, 'dist/index.html'))).toBe(false)
  })

  it('fails when the module that a budget names is gone', async () => {
    await expect(built({ modules: ['moved.ts'] })).rejects.toThrow('moved.ts is in no script of the build')
  })

  it('writes a Brotli and a gzip copy beside each text that is worth it', async () => {
    await built()
    const manifest = await readFile(path.join(root, 'dist/index.html'), 'utf8')
    const script = /\/assets\/[^"]+\.js/.exec(manifest)?.[0] ?? ''
    const file = path.join(root, 'dist', script)
    const text = await readFile(file, 'utf8')
    expect(brotliDecompressSync(await readFile(`${file}.br`)).toString()).toBe(text)
    expect(gunzipSync(await readFile(`${file}.gz`)).toString()).toBe(text)
    expect(existsSync(path.join(root, 'dist/index.html.br'))).toBe(false)
  })
})

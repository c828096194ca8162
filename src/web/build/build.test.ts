import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compressFiles } from './compress.ts'
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
})

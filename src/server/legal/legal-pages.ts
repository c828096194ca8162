import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyPluginCallback } from 'fastify'
import { LEGAL_PAGES, type LegalPage } from '#contract/http/addresses.ts'
import { cacheAnswer } from '#base/cached-answer.ts'
import { escapeHtml } from '#base/escape-html.ts'
import { plainPage } from '../http/plain-page.ts'

/** The pages that this server has, as HTML. */
export type LegalPages = ReadonlyMap<LegalPage, string>

/** Reads the operator's texts, `terms.txt` and `privacy.txt`. One that is not there has no page. */
export async function readLegalPages(dataDir: string): Promise<LegalPages> {
  const pages = new Map<LegalPage, string>()
  for (const name of Object.keys(LEGAL_PAGES) as LegalPage[]) {
    const text = await readFile(path.join(dataDir, `${name}.txt`), 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    })
    if (text !== null) pages.set(name, textPage(text))
  }
  return pages
}

/** The first line is the title. `## ` begins a heading, `- ` an item of a list, and an empty line a paragraph. */
export function textPage(text: string): string {
  const [title = '', ...blocks] = text
    .replaceAll('\r', '')
    .trim()
    .split(/\n\s*\n/)
  return plainPage(
    title.replace(/^#\s*/, ''),
    blocks.map((block) => {
      const lines = block.split('\n')
      if (block.startsWith('## ')) return `<h2>${escapeHtml(block.slice(3))}</h2>`
      if (lines.every((line) => line.startsWith('- ')))
        return `<ul>${lines.map((line) => `<li>${escapeHtml(line.slice(2))}</li>`).join('')}</ul>`
      return `<p>${escapeHtml(lines.join(' '))}</p>`
    }),
  )
}

export const legalPlugin =
  (pages: LegalPages): FastifyPluginCallback =>
  (app, _options, done) => {
    for (const [name, page] of pages) {
      const send = cacheAnswer({
        type: 'text/html; charset=utf-8',
        cacheControl: 'no-cache',
        make: () => page,
      })
      app.get(LEGAL_PAGES[name], (request, reply) => send(request, reply, page))
    }
    done()
  }

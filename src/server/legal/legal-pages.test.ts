import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { legalPlugin, readLegalPages } from './legal-pages.ts'

it('a text of the operator is a page, and one that is not there has none', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'reelay-legal-'))
  const text = '# Terms of <us>\n\nBe kind,\r\nplease.\n\n## Rules\n\n- one & all\n- two\n'
  await writeFile(path.join(dir, 'terms.txt'), text)
  const app = Fastify()
  await app.register(legalPlugin(await readLegalPages(dir)))
  const terms = await app.inject('/terms')
  expect([terms.statusCode, terms.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(terms.body).toContain('<h1>Terms of &#60;us&#62;</h1>')
  expect(terms.body).toContain(
    '<p>Be kind, please.</p>\n<h2>Rules</h2>\n<ul><li>one &#38; all</li><li>two</li></ul>',
  )
  expect((await app.inject('/privacy')).statusCode).toBe(404)
  await app.close()
  await rm(dir, { recursive: true })
})

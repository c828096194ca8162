import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Mailer } from './mail.ts'

/**
 * Writes each mail as `<epoch ms>-<key>.json` with `{to, from, subject, text, html, at}`; a retry replaces its file. Files
 * are written atomically and readable by the server's user only, because they contain login links.
 */
export const createMailbox = (options: { dir: string; from: string }): Mailer => ({
  async send({ key, at, to, subject, text, html }) {
    const name = `${at.getTime()}-${key}.json`
    const draft = path.join(options.dir, `.${name}.draft`)
    const content = { to, subject, text, html: html ?? null, from: options.from, at: at.toISOString() }
    await mkdir(options.dir, { recursive: true, mode: 0o700 })
    await writeFile(draft, JSON.stringify(content, null, 2), { mode: 0o600, flush: true })
    await rename(draft, path.join(options.dir, name))
    return { kind: 'taken' }
  },
})

import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Mailer } from './mail.ts'

/** Anybody can have a mail sent, and the links in them have long expired. */
const KEPT_MS = 90 * 86_400_000

/**
 * Writes each mail as `<epoch ms>-<key>.json` with `{to, from, subject, text, html, at}`; a retry replaces its file. Files
 * are written atomically and readable by the server's user only, because they contain login links. Each new one deletes those that are
 * more than 90 days older.
 */
export const createMailbox = (options: { dir: string; from: string }): Mailer => ({
  async send({ key, at, to, subject, text, html }) {
    const name = `${at.getTime()}-${key}.json`
    const draft = path.join(options.dir, `.${name}.draft`)
    const content = { to, subject, text, html: html ?? null, from: options.from, at: at.toISOString() }
    await mkdir(options.dir, { recursive: true, mode: 0o700 })
    await writeFile(draft, JSON.stringify(content, null, 2), { mode: 0o600, flush: true })
    await rename(draft, path.join(options.dir, name))
    for (const old of await readdir(options.dir))
      if (Number.parseInt(old, 10) < at.getTime() - KEPT_MS)
        await rm(path.join(options.dir, old), { force: true })
    return { kind: 'taken' }
  },
})

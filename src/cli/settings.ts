import { createHash, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { Stop } from './ends.ts'

/** A server with the API key for it. */
export type Server = { readonly address: string; readonly key: string }

const Saved = z.object({
  /** The address that commands use. */
  current: z.string().nullable(),
  servers: z.record(
    z.string(),
    z.object({
      key: z.string(),
      /** A key that log-in made is revoked at log-out; one that was given may be used elsewhere. */
      made_by_login: z.boolean(),
    }),
  ),
})
type Saved = z.infer<typeof Saved>

const folder = (variable: string, otherwise: string): string => {
  const set = process.env[variable]
  return path.join(
    set !== undefined && path.isAbsolute(set) ? set : path.join(homedir(), otherwise),
    'reelay',
  )
}
export const settingsFile = (): string => path.join(folder('XDG_CONFIG_HOME', '.config'), 'servers.json')
const stateFile = (name: string): string =>
  path.join(folder('XDG_STATE_HOME', '.local/state'), `${name}.json`)

export function readSettings(): Saved {
  const text = readFile(settingsFile())
  if (text === null) return { current: null, servers: {} }
  const saved = Saved.safeParse(parseJson(text))
  if (!saved.success)
    throw new Stop('refused', `${settingsFile()} can't be read. Delete it, then log in again.`)
  return saved.data
}

export function saveSettings(saved: Saved): void {
  writeWhole(settingsFile(), saved)
}

/** The origin of an address. Without a scheme it is https, but for this machine. @throws Stop */
export function parseAddress(text: string): string {
  const scheme = /^(localhost|127\.\d+\.\d+\.\d+)(:|\/|$)/.test(text) ? 'http' : 'https'
  const full = text.includes('://') ? text : `${scheme}://${text}`
  const url = URL.canParse(full) ? new URL(full) : null
  if (url !== null && url.hostname !== '' && /^https?:$/.test(url.protocol)) return url.origin
  throw new Stop('refused', `${text} is no address. Write one such as https://reelay.example.com.`)
}

/** The server that a command talks to: that of the environment, or the one that was logged in to. @throws Stop */
export function findServer(asked: string | undefined): Server {
  const given = asked ?? process.env['REELAY_URL']
  const key = process.env['REELAY_API_KEY']
  const saved = key !== undefined && given !== undefined ? null : readSettings()
  const address = given === undefined || given === '' ? saved?.current : parseAddress(given)
  if (address === null || address === undefined)
    throw new Stop(
      'not_logged_in',
      'Log in first: reelay login https://your-reelay. Or set REELAY_URL and REELAY_API_KEY.',
    )
  const found = key !== undefined && key.trim() !== '' ? key.trim() : saved?.servers[address]?.key
  if (found === undefined)
    throw new Stop('not_logged_in', `Log in to this server first: reelay login ${address}`)
  // fetch would quote what no header takes, in a message that ends in a log.
  if (!/^[\x21-\x7e]+$/.test(found))
    throw new Stop('not_logged_in', 'The API key has characters that no key has.')
  return { address, key: found }
}

/**
 * A small record that outlives this process, found again by what it is about. It is a promise of exactly one post, so it is kept with the
 * state of programs and not in a cache.
 */
export function openRecord<T>(kind: string, about: readonly unknown[], schema: z.ZodType<T>) {
  const hash = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32)
  const file = stateFile(`${kind}-${hash}`)
  const read = (): T | null => {
    const text = readFile(file)
    const parsed = text === null ? null : schema.safeParse(parseJson(text))
    return parsed?.success ? parsed.data : null
  }
  return {
    read,
    write: (value: T): void => writeWhole(file, value),
    /** Answers the record that is there, or else writes this one. Two commands at the same moment get the same. */
    readOr(value: T): T {
      const draft = writeDraft(file, value)
      try {
        linkSync(draft, file)
      } catch (error) {
        if (!isError(error, 'EEXIST')) throw error
      } finally {
        rmSync(draft, { force: true })
      }
      const found = read()
      if (found === null) throw new Stop('refused', `${file} can't be read. Delete it.`)
      return found
    },
    remove: (): void => rmSync(file, { force: true }),
  }
}

/** Writes aside and renames, so that a kill leaves the old or the new file. Only the user may read it. */
function writeWhole(file: string, value: unknown): void {
  renameSync(writeDraft(file, value), file)
}

function writeDraft(file: string, value: unknown): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
    const message = `${cause.message}. Set XDG_CONFIG_HOME and XDG_STATE_HOME to folders that can be written.`
    throw new Stop('refused', message, { cause })
  }
  return draft
}

function readFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isError(error, 'ENOENT')) return null
    throw new Stop('refused', `${file} can't be read.`, { cause: error })
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // handled like JSON of another shape
  }
}

export const isError = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

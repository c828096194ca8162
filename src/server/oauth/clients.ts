import { z } from 'zod'
import { cutText } from '#contract/well-formed.ts'
import type { Encrypter } from '#base/encryption.ts'
import { Problem } from '#base/problem.ts'
import { createPublicClient, readBeginning } from '#base/public-fetch.ts'
import type { Config } from '../runtime/config.ts'

/** A program that may ask users to let it in. */
export type Client = {
  readonly id: string
  readonly name: string
  /** The host that describes it; null: nobody vouches for its name. */
  readonly host: string | null
  readonly redirectUris: readonly string[]
}

/** Characters of a name that are shown, and stored with the key. */
const NAME_MAX_CHARS = 60
export const REDIRECT_URI_MAX_CHARS = 1000

/** A name that a stranger chose, on one line and without characters that reorder or hide others. */
export const plainName = (given: string, maxChars = NAME_MAX_CHARS): string =>
  cutText(given.replace(/[\s\p{C}]+/gu, ' ').trim(), maxChars).trim()

type Deps = {
  readonly config: Pick<Config, 'privateAddresses' | 'oauthRegistration'>
  readonly encrypter: Encrypter
  readonly now: () => number
}

/** @throws Problem invalid if there is no such client */
export type FindClient = (clientId: string) => Promise<Client>

const KEPT_MS = 300_000
const KEPT_MAX = 500

/** Reads clients from the addresses that are their ids, each at most every few minutes, and those that registered from their ids. */
export function createFindClient(deps: Deps): FindClient {
  const kept = new Map<string, { readonly client: Client; readonly until: number }>()
  return async (clientId) => {
    if (clientId.startsWith(REGISTERED)) return readRegistered(deps, clientId)
    const known = kept.get(clientId)
    if (known && known.until > deps.now()) return known.client
    const client = await fetchClient(deps, clientId)
    kept.delete(clientId)
    for (const oldest of kept.keys()) if (kept.size >= KEPT_MAX) kept.delete(oldest)
    kept.set(clientId, { client, until: deps.now() + KEPT_MS })
    return client
  }
}

const Metadata = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string()).min(1),
  token_endpoint_auth_method: z.literal('none').optional(),
})

const METADATA_MAX_BYTES = 10_240
const FETCH_MS = 5_000

/** draft-ietf-oauth-client-id-metadata-document: the id is the https address of a document about the client. */
async function fetchClient({ config }: Deps, clientId: string): Promise<Client> {
  const url = readClientAddress(clientId, config.privateAddresses)
  if (!url) throw refused("Reelay doesn't know the program that sent you here.")
  const about = `The description of this program at ${url.host}`
  const client = createPublicClient({ allowPrivate: config.privateAddresses })
  try {
    const answer = await client.open({
      url,
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'Reelay' },
      signal: AbortSignal.timeout(FETCH_MS),
    })
    if (answer.kind === 'none') throw refused(`${about} can't be read.`)
    const { response } = answer
    if (response.statusCode !== 200) {
      response.destroy()
      throw refused(`${about} can't be read: the answer is ${response.statusCode}.`)
    }
    const body = await readBeginning(response, METADATA_MAX_BYTES + 1)
    const read = body.length > METADATA_MAX_BYTES ? undefined : Metadata.safeParse(parseJson(body)).data
    if (!read) throw refused(`${about} isn't what Reelay needs.`)
    // Otherwise a copy of it elsewhere would pass for the program.
    if (read.client_id !== clientId) throw refused(`${about} is about another program.`)
    const name = plainName(read.client_name ?? '')
    return {
      id: clientId,
      name: name === '' ? url.host : name,
      host: url.host,
      redirectUris: read.redirect_uris,
    }
  } finally {
    client.close()
  }
}

/** Section 3 of that draft. An address that a URL parser changes could have dot segments, or look like another. */
function readClientAddress(clientId: string, allowHttp: boolean): URL | null {
  const url = clientId.length > REDIRECT_URI_MAX_CHARS ? null : URL.parse(clientId)
  if (!url || url.href !== clientId || clientId.includes('#') || url.pathname === '/') return null
  if (url.username !== '' || url.password !== '') return null
  return url.protocol === 'https:' || (allowHttp && url.protocol === 'http:') ? url : null
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** The ids of clients that registered themselves begin so. */
const REGISTERED = 'reg.'
const Registered = z.strictObject({
  kind: z.literal('oauth client'),
  name: z.string(),
  redirect_uris: z.array(z.string()),
})

/** The id is the registration itself, encrypted, so that registering stores nothing. */
export const makeClientId = (
  encrypter: Encrypter,
  { name, redirectUris }: Pick<Client, 'name' | 'redirectUris'>,
): string =>
  REGISTERED +
  encrypter
    .encrypt(JSON.stringify({ kind: 'oauth client', name, redirect_uris: redirectUris }))
    .toString('base64url')

function readRegistered({ config, encrypter }: Deps, clientId: string): Client {
  const unknown = "Reelay doesn't know the program that sent you here. Remove it there, and add it again."
  if (!config.oauthRegistration) throw refused(unknown)
  try {
    const bytes = Buffer.from(clientId.slice(REGISTERED.length), 'base64url')
    const { name, redirect_uris: redirectUris } = Registered.parse(JSON.parse(encrypter.decrypt(bytes)))
    return { id: clientId, name, host: null, redirectUris }
  } catch {
    // Decryption reports failure only by an exception.
    throw refused(unknown)
  }
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** A browser may be sent there: https, or a program on the browser's own machine. */
export function isRedirectUri(uri: string): boolean {
  const url = uri.length > REDIRECT_URI_MAX_CHARS || uri.includes('#') ? null : URL.parse(uri)
  if (!url || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))
}

/** The address must be one that the client named. On the browser's own machine the port is free (RFC 8252, 7.3). */
export const hasRedirectUri = ({ redirectUris }: Client, uri: string): boolean =>
  isRedirectUri(uri) &&
  redirectUris.some(
    (one) => one === uri || (withoutPort(one) !== null && withoutPort(one) === withoutPort(uri)),
  )

function withoutPort(uri: string): string | null {
  const url = URL.parse(uri)
  if (url?.protocol !== 'http:' || !LOOPBACK.includes(url.hostname)) return null
  url.port = ''
  return url.href
}

export const refused = (message: string): Problem => new Problem('invalid', message)

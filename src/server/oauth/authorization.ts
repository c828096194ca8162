import { MCP_PATH } from '#contract/http/addresses.ts'
import { KEY_SCOPES, type KeyScope } from '#contract/http/key-rights.ts'
import { type Client, type FindClient, hasRedirectUri, refused } from './clients.ts'

/** What the address of `/authorize` asks for (RFC 6749, 4.1.1; RFC 7636; RFC 8707). */
export type Authorization = {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | null
  readonly codeChallenge: string
  readonly scopes: KeyScope[]
}

/** Nothing is sent to an address that was not checked, so a refusal is shown and not redirected. @throws Problem invalid */
export async function readAuthorization(
  query: string,
  { publicUrl, findClient }: { readonly publicUrl: string; readonly findClient: FindClient },
): Promise<Authorization> {
  const given = new URLSearchParams(query)
  const get = (name: string): string | null => {
    const values = given.getAll(name)
    if (values.length > 1) throw refused(`The program names ${name} twice.`)
    return values[0] || null
  }
  const client = await findClient(get('client_id') ?? '')
  const redirectUri = get('redirect_uri')
  if (redirectUri === null || !hasRedirectUri(client, redirectUri))
    throw refused(`${client.name} wants to send you to an address that isn't its own (redirect_uri).`)
  if (get('response_type') !== 'code')
    throw refused(`${client.name} asks in a way that Reelay doesn't know (response_type).`)
  const codeChallenge = get('code_challenge') ?? ''
  if (get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
    throw refused(`${client.name} doesn't protect what it asks for (code_challenge with S256).`)
  if (!given.getAll('resource').every((resource) => isResource(publicUrl, resource)))
    throw refused(`${client.name} asks for another server's data (resource).`)
  return { client, redirectUri, state: get('state'), codeChallenge, scopes: readScopes(get('scope')) }
}

/** The server itself, or its endpoint for assistants. */
export const isResource = (publicUrl: string, resource: string): boolean =>
  [publicUrl, publicUrl + MCP_PATH].includes(resource.replace(/\/$/, ''))

/** Rights that Reelay does not know are left out (RFC 6749, 3.3). */
export function readScopes(scope: string | null | undefined): KeyScope[] {
  const asked = (scope ?? '').split(' ')
  const known = KEY_SCOPES.filter((one) => asked.includes(one))
  return known.length === 0 ? ['read'] : known
}

/** `iss` tells the program which server answers (RFC 9207). */
export function answerAddress(
  { redirectUri, state }: Pick<Authorization, 'redirectUri' | 'state'>,
  answer: { readonly iss: string } & ({ readonly code: string } | { readonly error: string }),
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, ...(state !== null && { state }) }))
    url.searchParams.set(name, value)
  return url.href
}

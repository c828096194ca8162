import type { FastifyRequest } from 'fastify'
import { bodyText, parseQuery } from '../kit/http/body.ts'
import { consentError, consentPage, encodeQuery, redirect } from '../kit/http/consent.ts'
import { secret } from '../kit/ids.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { clientId, redirectUris, scopes, type Creator, type YouTube } from './state.ts'

const platform = 'Practice YouTube'

/** "within minutes": ten, as RFC 6749 recommends at most. */
const codeLifetimeMs = 600_000

interface AuthorizeRequest {
  redirect_uri: string
  scopes: string[]
  state: string | null
  code_challenge: string | null
  offline: boolean
  /** The person is asked again even for what is allowed already. */
  asks: boolean
  includes_granted: boolean
}

/** The fields of the request that the form carries on. */
const carried = [
  'client_id',
  'response_type',
  'redirect_uri',
  'state',
  'access_type',
  'prompt',
  'include_granted_scopes',
  'code_challenge',
  'code_challenge_method',
]

/** Chooser and consent on one page. */
export function showConsent(youtube: YouTube, call: Call): Answer {
  const query = parseQuery(call.request)
  const asked = readRequest(youtube, query)
  if ('status' in asked) return asked
  const boxes = listBoxes(asked.scopes)
  return consentPage({
    platform,
    action: call.request.url.split('?')[0] ?? '',
    avatarBase: '/avatars',
    creators: youtube.creators.all().map((creator) => ({
      username: creator.username,
      about: describe(youtube, creator),
    })),
    scopes: asked.scopes.map((name) => ({
      name,
      means: scopes[name]?.means ?? name,
      locked: !boxes.includes(name),
    })),
    hidden: {
      ...Object.fromEntries(
        carried.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : [])),
      ),
      requested_scope: asked.scopes.join(' '),
    },
    redirect: asked.redirect_uri,
  })
}

function describe(youtube: YouTube, { username, title, person, has_channel }: Creator): string {
  if (!has_channel) return 'Google account without a channel'
  const channels = youtube.creators.all().filter((each) => each.person === person).length
  return channels > 1 ? `channel “${title}” of ${person}@example.com` : `${username}@example.com`
}

/** "more than one non-sign-in scope": only then the person may untick each. */
function listBoxes(wanted: string[]): string[] {
  const own = wanted.filter((name) => scopes[name]?.signIn === false)
  return own.length > 1 ? own : []
}

export function decideConsent(youtube: YouTube, call: Call): Answer {
  const form = new URLSearchParams(bodyText(call.request))
  const original = new URLSearchParams(form)
  original.set('scope', form.get('requested_scope') ?? '')
  const asked = readRequest(youtube, original)
  if ('status' in asked) return asked
  const state: Record<string, string> = asked.state === null ? {} : { state: asked.state }
  const back = (fields: Record<string, string>): Answer =>
    redirect(`${asked.redirect_uri}?${encodeQuery({ ...fields, ...state })}`)

  if (form.get('decision') === 'deny') return back({ error: 'access_denied' })
  const creator = youtube.creators.get(form.get('creator') ?? '')
  if (form.get('decision') !== 'approve') return refuse(400, 'invalid_request', 'Unknown decision.')
  if (creator === undefined) return refuse(400, 'invalid_request', 'Unknown creator.')
  call.account = creator.username

  const boxes = listBoxes(asked.scopes)
  const ticked = form.getAll('scope')
  const allowed = asked.scopes.filter((name) => !boxes.includes(name) || ticked.includes(name))
  const before = youtube.consents.get(creator.username) ?? []
  const together = [...new Set([...before, ...allowed])]
  const isFirst = !asked.scopes.every((name) => before.includes(name))
  // The code has a slash, so it must be encoded.
  const code = `4/0A${secret(54)}`
  const granted = asked.includes_granted ? together : allowed
  youtube.store.transaction(() => {
    youtube.consents.put(creator.username, together)
    youtube.codes.put(code, {
      code,
      username: creator.username,
      scopes: granted,
      redirect_uri: asked.redirect_uri,
      code_challenge: asked.code_challenge,
      gives_refresh_token: asked.offline && (asked.asks || isFirst),
      expires_at: youtube.clock.now() + codeLifetimeMs,
      used: false,
    })
  })
  return back({ code, scope: granted.join(' ') })
}

function readRequest(youtube: YouTube, query: URLSearchParams): AuthorizeRequest | Answer {
  if (query.get('client_id') !== clientId)
    return refuse(401, 'invalid_client', 'The OAuth client was not found.')
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!redirectUris(youtube).includes(redirectUri))
    return refuse(400, 'redirect_uri_mismatch', 'The redirect address is not registered for this app.')
  if (query.get('response_type') !== 'code')
    return refuse(400, 'unsupported_response_type', 'response_type must be code.')
  // Separated by spaces; a comma makes one long, unknown scope.
  const wanted = (query.get('scope') ?? '').split(' ').filter((name) => name !== '')
  if (wanted.length === 0 || !wanted.every((name) => Object.hasOwn(scopes, name)))
    return refuse(400, 'invalid_scope', 'Some requested scopes were invalid.')
  const challenge = query.get('code_challenge')
  const isS256 =
    challenge !== null && /^[\w-]{43}$/.test(challenge) && query.get('code_challenge_method') === 'S256'
  if (challenge !== null && !isS256)
    return refuse(400, 'invalid_request', 'code_challenge must be base64url of SHA-256, by the method S256.')
  const accessType = query.get('access_type') ?? 'online'
  if (!['online', 'offline'].includes(accessType))
    return refuse(400, 'invalid_request', 'Invalid access_type.')
  const prompts = (query.get('prompt') ?? '').split(' ').filter((name) => name !== '')
  if (!prompts.every((name) => ['consent', 'select_account', 'none'].includes(name)))
    return refuse(400, 'invalid_request', 'Invalid prompt.')
  return {
    redirect_uri: redirectUri,
    scopes: [...new Set(wanted)],
    state: query.get('state'),
    code_challenge: challenge,
    offline: accessType === 'offline',
    asks: prompts.includes('consent'),
    includes_granted: query.get('include_granted_scopes') === 'true',
  }
}

const refuse = (status: number, error: string, text: string): Answer =>
  consentError(platform, status, `Error ${status}: ${error}`, text)

export const consentAccount = (request: FastifyRequest): string | null =>
  request.method === 'POST' ? new URLSearchParams(bodyText(request)).get('creator') : null

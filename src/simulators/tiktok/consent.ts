import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { bodyText, parseQuery } from '../kit/http/body.ts'
import { consentError, consentPage, encodeQuery, redirect } from '../kit/http/consent.ts'
import { secret } from '../kit/ids.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { clientKey, redirectUris, scopes, type TikTok } from './state/state.ts'

const platform = 'Practice TikTok'

interface AuthorizeRequest {
  redirect_uri: string
  scopes: string[]
  state: string | null
  code_challenge: string | null
}

export function showConsent(tiktok: TikTok, call: Call): Answer {
  const asked = readRequest(tiktok, parseQuery(call.request))
  if ('status' in asked) return asked
  return consentPage({
    platform,
    action: '/tiktok/v2/auth/authorize/',
    avatarBase: '/avatars',
    creators: tiktok.creators.all().map((creator) => ({
      username: creator.username,
      about: creator.private ? 'private account' : 'public account',
    })),
    scopes: asked.scopes.map((name) => ({ name, means: describeScope(name), locked: false })),
    hidden: {
      client_key: clientKey,
      response_type: 'code',
      redirect_uri: asked.redirect_uri,
      requested_scope: asked.scopes.join(','),
      ...(asked.state === null ? {} : { state: asked.state }),
      ...(asked.code_challenge === null
        ? {}
        : { code_challenge: asked.code_challenge, code_challenge_method: 'S256' }),
    },
    redirect: asked.redirect_uri,
  })
}

export function decideConsent(tiktok: TikTok, call: Call): Answer {
  const form = new URLSearchParams(bodyText(call.request))
  const original = new URLSearchParams(form)
  original.set('scope', form.get('requested_scope') ?? '')
  const asked = readRequest(tiktok, original)
  if ('status' in asked) return asked
  const back = (fields: Record<string, string>): Answer =>
    redirect(
      `${asked.redirect_uri}?${encodeQuery(asked.state === null ? fields : { ...fields, state: asked.state })}`,
    )

  const creator = tiktok.creators.get(form.get('creator') ?? '')
  if (form.get('decision') === 'deny') {
    return back({ error: 'access_denied', error_description: 'User denied the authorization request.' })
  }
  if (form.get('decision') !== 'approve')
    return refuse('Something went wrong', 'decision must be approve or deny')
  if (creator === undefined) return refuse('Something went wrong', 'creator is not known here')
  call.account = creator.username
  if (!creator.sandbox_target) {
    return back({
      error: 'access_denied',
      error_type: 'non_sandbox_target',
      error_description: 'This account is not a target user of the sandbox.',
    })
  }
  const granted = asked.scopes.filter((name) => form.getAll('scope').includes(name))
  const code = newCode()
  tiktok.codes.put(code, {
    code,
    username: creator.username,
    scopes: granted,
    redirect_uri: asked.redirect_uri,
    code_challenge: asked.code_challenge,
    // TikTok does not document the lifetime of a code; five minutes is our assumption.
    expires_at: tiktok.clock.now() + 300_000,
    used: false,
  })
  return back({ code, scopes: granted.join(',') })
}

/** Real codes end like `…*1!4608.va`, so clients must encode and decode them. */
const newCode = (): string => `${secret(48)}*1!${4000 + (randomBytes(1)[0] ?? 0)}.va`

function readRequest(tiktok: TikTok, query: URLSearchParams): AuthorizeRequest | Answer {
  if (query.get('client_key') !== clientKey) return refuse('Something went wrong', 'client_key')
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!redirectUris(tiktok).includes(redirectUri)) return refuse('Something went wrong', 'redirect_uri')
  if (query.get('response_type') !== 'code') return refuse('Something went wrong', 'response_type')
  // Scopes are separated by commas; a space makes one long, unknown scope.
  const wanted = (query.get('scope') ?? '').split(',')
  if (!wanted.every((name) => Object.hasOwn(scopes, name)))
    return refuse('Something went wrong', 'invalid_scope')
  const challenge = query.get('code_challenge')
  // TikTok's challenge is lower-case hex, not the base64url of RFC 7636.
  if (challenge !== null && !/^[0-9a-f]{64}$/.test(challenge))
    return refuse('Something went wrong', 'code_challenge')
  if (challenge !== null && query.get('code_challenge_method') !== 'S256')
    return refuse('Something went wrong', 'code_challenge_method')
  return { redirect_uri: redirectUri, scopes: wanted, state: query.get('state'), code_challenge: challenge }
}

const refuse = (title: string, text: string): Answer => consentError(platform, 400, title, text)

const describeScope = (name: string): string =>
  Object.entries(scopes).find(([scope]) => scope === name)?.[1] ?? name

export const consentAccount = (request: FastifyRequest): string | null =>
  request.method === 'POST' ? new URLSearchParams(bodyText(request)).get('creator') : null

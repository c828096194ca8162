import type { FastifyRequest } from 'fastify'
import { bodyText, parseQuery } from '../kit/http/body.ts'
import { consentError, consentPage, encodeQuery, redirect } from '../kit/http/consent.ts'
import { secret } from '../kit/ids.ts'
import type { Answer, Call } from '../kit/http/serve.ts'
import { appId, basicScope, redirectUris, scopes, type Instagram } from './state/state.ts'

const platform = 'Practice Instagram'

/** "valid 1 hour, single use" */
const codeLifetimeMs = 3_600_000

interface AuthorizeRequest {
  redirect_uri: string
  scopes: string[]
  state: string | null
}

export function showConsent(instagram: Instagram, call: Call): Answer {
  const asked = readRequest(instagram, parseQuery(call.request))
  if ('status' in asked) return asked
  return consentPage({
    platform,
    action: '/instagram/oauth/authorize',
    avatarBase: '/avatars',
    creators: instagram.creators.all().map((creator) => ({
      username: creator.username,
      about: `${accountTypes[creator.account_type]}, ${creator.private ? 'private' : 'public'}`,
    })),
    scopes: asked.scopes.map((name) => ({ name, means: describeScope(name), locked: name === basicScope })),
    hidden: {
      client_id: appId,
      response_type: 'code',
      redirect_uri: asked.redirect_uri,
      requested_scope: asked.scopes.join(','),
      ...(asked.state === null ? {} : { state: asked.state }),
    },
    redirect: asked.redirect_uri,
  })
}

const accountTypes = { BUSINESS: 'business', MEDIA_CREATOR: 'creator', PERSONAL: 'personal' } as const

export function decideConsent(instagram: Instagram, call: Call): Answer {
  const form = new URLSearchParams(bodyText(call.request))
  const original = new URLSearchParams(form)
  original.set('scope', form.get('requested_scope') ?? '')
  const asked = readRequest(instagram, original)
  if ('status' in asked) return asked
  const state: Record<string, string> = asked.state === null ? {} : { state: asked.state }

  const creator = instagram.creators.get(form.get('creator') ?? '')
  if (form.get('decision') === 'deny') {
    const refused = {
      error: 'access_denied',
      error_reason: 'user_denied',
      error_description: 'The user denied your request',
      ...state,
    }
    return redirect(`${asked.redirect_uri}?${encodeQuery(refused).replaceAll('%20', '+')}`)
  }
  if (form.get('decision') !== 'approve')
    return refuse('Sorry, this page isn’t available', 'Unknown decision.')
  if (creator === undefined) return refuse('Sorry, this page isn’t available', 'Unknown creator.')
  call.account = creator.username
  const code = `AQ${secret(90)}`
  instagram.codes.put(code, {
    code,
    username: creator.username,
    scopes: asked.scopes.filter((name) => name === basicScope || form.getAll('scope').includes(name)),
    redirect_uri: asked.redirect_uri,
    expires_at: instagram.clock.now() + codeLifetimeMs,
    used: false,
  })
  // Instagram appends "#_", which does not belong to the code.
  return redirect(`${asked.redirect_uri}?${encodeQuery({ code, ...state })}#_`)
}

function readRequest(instagram: Instagram, query: URLSearchParams): AuthorizeRequest | Answer {
  if (query.get('client_id') === 'undefined')
    return refuse('Sorry, this page isn’t available', 'client_id is missing.')
  if (query.get('client_id') !== appId)
    return refuse('Invalid platform app', 'Invalid Request: Invalid platform app')
  const redirectUri = query.get('redirect_uri') ?? ''
  if (!redirectUris(instagram).includes(redirectUri)) {
    return refuse('Invalid redirect_uri', 'Invalid Request: Invalid redirect_uri')
  }
  if (query.get('response_type') !== 'code') {
    return refuse('Invalid response_type', 'Invalid Request: response_type must be code')
  }
  // "comma separated, or URL-encoded-space separated"
  const wanted = (query.get('scope') ?? '').split(/[, ]/).filter((name) => name !== '')
  if (!wanted.includes(basicScope) || !wanted.every((name) => Object.hasOwn(scopes, name))) {
    return refuse('Invalid scope', 'Invalid Request: Invalid scope')
  }
  return { redirect_uri: redirectUri, scopes: wanted, state: query.get('state') }
}

const refuse = (title: string, text: string): Answer => consentError(platform, 400, title, text)

const describeScope = (name: string): string =>
  Object.entries(scopes).find(([scope]) => scope === name)?.[1] ?? name

export const consentAccount = (request: FastifyRequest): string | null =>
  request.method === 'POST' ? new URLSearchParams(bodyText(request)).get('creator') : null

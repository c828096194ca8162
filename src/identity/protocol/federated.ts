import { signInFederated } from '../core/federated.ts'
import type { FederatedOutcome, FederatedSignIn } from '../core/federated.ts'
import type { Core } from '../core/core.ts'
import type { Asserted } from '../core/oidc.ts'
import { GOOGLE } from '../core/oidc.ts'
import { refuse } from './call.ts'
import type { Post } from './call.ts'
import { ERRORS, errorBody } from './errors.ts'
import * as wire from './wire.ts'

/** Sign-in with another provider's ID token. */
export function federatedCalls(post: Post, core: Core): void {
  post('/v1/accounts::signInWithIdp', wire.IdpBody, async (body, { ip }) => {
    if (!body.requestUri) return refuse('missing_request_uri')
    // Only looked at: nothing is ever fetched from where a caller says.
    const requestUri = URL.parse(body.requestUri)
    if (!requestUri || !/^https?:$/.test(requestUri.protocol)) return refuse('invalid_request_uri')
    const credential = body.pendingToken
      ? { pendingToken: body.pendingToken }
      : credentialOf(new URLSearchParams(body.postBody))
    if (credential === null) return refuse('invalid_credential')
    const outcome = await signInFederated(core, {
      credential,
      linkTo: body.idToken ?? null,
      mayCreate: body.autoCreate ?? true,
      ip,
    })
    if ('refused' in outcome) return outcome
    const brought = broughtBy(credential, new URLSearchParams(body.postBody))
    return answerOf(outcome, brought, body.returnIdpCredential ?? false)
  })
}

/** Access tokens are given back and prove nothing: they do not say for whom they were made. */
function credentialOf(fields: URLSearchParams): FederatedSignIn['credential'] | null {
  const [provider, idToken, nonce] = ['providerId', 'id_token', 'nonce'].map(
    (name) => fields.get(name) || null,
  )
  return provider && idToken ? { provider, idToken, nonce: nonce ?? null } : null
}

/** What the SDK makes the credential of that it hands to its caller. */
function broughtBy(credential: FederatedSignIn['credential'], fields: URLSearchParams) {
  if ('pendingToken' in credential) return {}
  const accessToken = fields.get('access_token')
  return { oauthIdToken: credential.idToken, ...(accessToken && { oauthAccessToken: accessToken }) }
}

function answerOf(outcome: FederatedOutcome, brought: object, inside: boolean) {
  const said = { kind: 'identitytoolkit#VerifyAssertionResponse', ...wordsOf(outcome.asserted), ...brought }
  switch (outcome.kind) {
    case 'entered': {
      const { user, idToken, refreshToken, expiresInS } = outcome.session
      const answer = {
        ...said,
        localId: user.uid,
        // Of an address that two have, what we know counts.
        ...(user.email === outcome.asserted.email && { emailVerified: user.email_verified }),
        ...(outcome.recycled && { emailRecycled: true }),
        isNewUser: outcome.isNew,
        idToken,
        refreshToken,
        expiresIn: String(expiresInS),
      }
      return { answer }
    }
    case 'confirm': {
      const { pendingToken, ways } = outcome
      const verifiedProvider = ways.length > 0 ? { verifiedProvider: ways } : {}
      return { answer: { ...said, needConfirmation: true, ...verifiedProvider, pendingToken } }
    }
    case 'taken': {
      const message = ERRORS[outcome.why]
      const answer = { ...said, pendingToken: outcome.pendingToken }
      return inside
        ? { answer: { ...answer, errorMessage: message } }
        : { answer: { ...answer, ...errorBody(message) }, status: 400 }
    }
  }
}

const wordsOf = ({ provider, rawId, email, ownsEmail, displayName, photoUrl, claims }: Asserted) => ({
  providerId: provider,
  federatedId: `${provider === GOOGLE.id ? GOOGLE.issuer : provider}/${rawId}`,
  ...(email !== null && { email, emailVerified: ownsEmail }),
  ...(displayName !== null && { displayName, fullName: displayName }),
  ...(photoUrl !== null && { photoUrl }),
  rawUserInfo: JSON.stringify(claims),
})

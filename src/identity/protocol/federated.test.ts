import { createHash } from 'node:crypto'
import {
  applyActionCode,
  createUserWithEmailAndPassword,
  EmailAuthProvider,
  getAdditionalUserInfo,
  GoogleAuthProvider,
  linkWithCredential,
  OAuthProvider,
  reauthenticateWithCredential,
  signInWithCredential,
  signInWithEmailAndPassword,
  unlink,
  verifyBeforeUpdateEmail,
} from 'firebase/auth'
import type { AuthError } from 'firebase/auth'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { codeIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import type { IdentityFixture } from '#test/support/identity.ts'
import { CLIENT, startOidcIssuer } from '#test/support/oidc-issuer.ts'
import type { Claims } from '#test/support/oidc-issuer.ts'

// The client that the browser runs, the service, and two providers on this machine.
let clock = Date.now
const google = await startOidcIssuer(() => clock())
const work = await startOidcIssuer(() => clock())
const PROVIDERS = [
  { id: 'google.com', issuer: google.url, clientId: CLIENT },
  { id: 'oidc.work', issuer: work.url, clientId: CLIENT },
]
const service = await startIdentity({ rules: { providers: PROVIDERS } })
clock = service.now
afterAll(async () => {
  await service.close()
  await google.close()
  await work.close()
})

const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let count = 0
/** An account that nobody has yet, with a mailbox at Gmail. */
function newcomer() {
  count += 1
  const sub = `sub-${count}`
  return { sub, email: `ada.${count}@gmail.com`, email_verified: true, name: 'Ada' }
}
const byGoogle = (claims: Claims) => GoogleAuthProvider.credential(google.token(claims))
const byWork = (claims: Claims) => new OAuthProvider('oidc.work').credential({ idToken: work.token(claims) })

async function signUp(email: string, at: IdentityFixture = service) {
  const auth = at.browser()
  const { user } = await createUserWithEmailAndPassword(auth, email, PASSWORD)
  return { auth, user }
}
const providersOf = (user: { providerData: { providerId: string }[] }) =>
  user.providerData.map(({ providerId }) => providerId).toSorted()

const call = async (body: object, at: IdentityFixture = service) => {
  const answer = await at.app.inject({
    method: 'POST',
    url: '/identity/v1/accounts:signInWithIdp?key=reelay',
    payload: { requestUri: 'http://localhost', returnSecureToken: true, ...body },
  })
  return { status: answer.statusCode, body: answer.body, type: answer.headers['content-type'] }
}
const post = (token: string, more = '', provider = 'oidc.work') => ({
  postBody: `id_token=${token}&providerId=${provider}${more}`,
})
const Refused = z.object({ error: z.object({ message: z.string() }) })
const messageOf = async (body: object, at: IdentityFixture = service) => {
  const answer = await call(body, at)
  expect(answer.status).toBe(400)
  return Refused.parse(JSON.parse(answer.body)).error.message
}
const usersWith = (email: string) =>
  service.db.selectFrom('identity_users').selectAll().where('email', '=', email).execute()

describe('who signs in by another provider', () => {
  test('is a new user the first time, and the same one after that', async () => {
    const claims = { ...newcomer(), picture: 'https://example.test/ada.png' }
    const auth = service.browser()
    const first = await signInWithCredential(auth, byGoogle(claims))
    expect(first.user.toJSON()).toMatchObject({
      email: claims.email,
      emailVerified: true,
      displayName: 'Ada',
      photoURL: claims.picture,
      isAnonymous: false,
      providerData: [{ providerId: 'google.com', uid: claims.sub, email: claims.email, displayName: 'Ada' }],
    })
    expect(getAdditionalUserInfo(first)).toMatchObject({
      isNewUser: true,
      providerId: 'google.com',
      profile: { sub: claims.sub, email: claims.email },
    })
    expect(GoogleAuthProvider.credentialFromResult(first)?.idToken).toBeDefined()
    const token = await first.user.getIdTokenResult()
    expect(token.signInProvider).toBe('google.com')
    expect(token.claims.firebase).toMatchObject({
      identities: { 'google.com': [claims.sub], email: [claims.email] },
      sign_in_provider: 'google.com',
    })

    const again = await signInWithCredential(service.browser(), byGoogle(claims))
    expect(again.user.uid).toBe(first.user.uid)
    expect(getAdditionalUserInfo(again)?.isNewUser).toBe(false)
    await first.user.getIdToken(true)
  })

  test('is not shown to be the owner of an address by an issuer that does not keep the mailbox', async () => {
    const claims = newcomer()
    const { user } = await signInWithCredential(service.browser(), byWork(claims))
    expect(user.toJSON()).toMatchObject({ email: claims.email, emailVerified: false })
  })

  test('may have no address', async () => {
    const { user } = await signInWithCredential(service.browser(), byWork({ sub: 'no-address' }))
    expect(user.toJSON()).toMatchObject({ providerData: [{ uid: 'no-address' }], isAnonymous: false })
    expect(user.email).toBeNull()
  })

  test('answers with what the call promises', async () => {
    const claims = newcomer()
    const token = work.token(claims)
    const answer = await call(post(token, '&access_token=an-access-token'))
    expect(JSON.parse(answer.body)).toEqual({
      kind: 'identitytoolkit#VerifyAssertionResponse',
      localId: expect.any(String) as string,
      providerId: 'oidc.work',
      federatedId: `oidc.work/${claims.sub}`,
      email: claims.email,
      emailVerified: false,
      displayName: 'Ada',
      fullName: 'Ada',
      rawUserInfo: expect.stringContaining(`"sub":"${claims.sub}"`) as string,
      isNewUser: true,
      oauthIdToken: token,
      oauthAccessToken: 'an-access-token',
      idToken: expect.any(String) as string,
      refreshToken: expect.any(String) as string,
      expiresIn: '3600',
    })
  })

  test('is one user, however many sign-ins come first', async () => {
    const claims = newcomer()
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(post(work.token(claims)))))
    const ids = answers.map(({ body }) => z.object({ localId: z.string() }).parse(JSON.parse(body)).localId)
    expect(new Set(ids).size).toBe(1)
    expect(await usersWith(claims.email)).toHaveLength(1)
  })

  test('is one user without an address, too, which nothing else tells apart', async () => {
    const { sub } = newcomer()
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(post(work.token({ sub })))))
    const ids = answers.map(({ body }) => z.object({ localId: z.string() }).parse(JSON.parse(body)).localId)
    expect(new Set(ids).size).toBe(1)
  })

  test('and who signs up with the same address at the same moment are one user', async () => {
    for (let round = 0; round < 5; round += 1) {
      const claims = newcomer()
      const [mine] = await Promise.all([
        call(post(google.token(claims), '', 'google.com')),
        ...Array.from({ length: 3 }, () => signUp(claims.email).catch(() => null)),
      ])
      expect(mine.status).toBe(200)
      const [user, ...others] = await usersWith(claims.email)
      expect(others).toEqual([])
      // Whoever was first: only the owner of the mailbox gets in.
      expect(user?.password_hash).toBeNull()
    }
  })

  test('cannot while sign-up is closed, if they are new', async () => {
    const closed = await startIdentity({ rules: { providers: PROVIDERS, signup: 'closed' } })
    await expect(signInWithCredential(closed.browser(), byGoogle(newcomer()))).rejects.toEqual(
      code('admin-restricted-operation'),
    )
    await closed.close()
  })

  test('cannot while they are disabled', async () => {
    const claims = newcomer()
    const { user } = await signInWithCredential(service.browser(), byGoogle(claims))
    await service.db
      .updateTable('identity_users')
      .set({ disabled: true })
      .where('uid', '=', user.uid)
      .execute()
    await expect(signInWithCredential(service.browser(), byGoogle(claims))).rejects.toEqual(
      code('user-disabled'),
    )
  })

  test('comes back as somebody new when they have deleted themselves', async () => {
    const claims = newcomer()
    const { user } = await signInWithCredential(service.browser(), byGoogle(claims))
    await service.db.deleteFrom('identity_users').where('uid', '=', user.uid).execute()
    const again = await signInWithCredential(service.browser(), byGoogle(claims))
    expect(again.user.uid).not.toBe(user.uid)
  })
})

describe('an address that somebody has', () => {
  test('is theirs by another way, where they have proven it and its provider vouches', async () => {
    const claims = newcomer()
    const { user: before } = await signUp(claims.email)
    await service.db
      .updateTable('identity_users')
      .set({ email_verified: true })
      .where('uid', '=', before.uid)
      .execute()
    const { user } = await signInWithCredential(service.browser(), byGoogle(claims))
    expect(user.uid).toBe(before.uid)
    expect(providersOf(user)).toEqual(['google.com', 'password'])
    await signInWithEmailAndPassword(service.browser(), claims.email, PASSWORD)
    await before.getIdToken(true)
  })

  test('is taken back from who signed up with it unproven: neither password, sessions nor links let them in', async () => {
    const claims = newcomer()
    const { auth, user: thief } = await signUp(claims.email)
    await linkWithCredential(thief, byWork({ sub: `thief-${claims.sub}` }))
    const stolen = await thief.getIdToken()

    const { user } = await signInWithCredential(service.browser(), byGoogle(claims))
    expect(user.uid).toBe(thief.uid)
    expect(user.toJSON()).toMatchObject({ emailVerified: true, displayName: 'Ada' })
    expect(providersOf(user)).toEqual(['google.com'])
    await expect(signInWithEmailAndPassword(service.browser(), claims.email, PASSWORD)).rejects.toEqual(
      code('invalid-credential'),
    )
    const again = await signInWithCredential(service.browser(), byWork({ sub: `thief-${claims.sub}` }))
    expect(again.user.uid).not.toBe(user.uid)
    const bearer = await service.app.inject({
      method: 'POST',
      url: '/identity/v1/accounts:lookup?key=reelay',
      payload: { idToken: stolen },
    })
    expect(bearer.json()).toMatchObject({ error: { message: 'TOKEN_EXPIRED' } })
    await expect(thief.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    expect(auth.currentUser).toBeNull()
    await user.reload()
  })

  test('that its provider gave to somebody else since is no longer theirs', async () => {
    const claims = newcomer()
    const { user: former } = await signInWithCredential(service.browser(), byGoogle(claims))
    const answer = await call(post(google.token({ ...claims, sub: 'successor' }), '', 'google.com'))
    expect(JSON.parse(answer.body)).toMatchObject({ localId: former.uid, emailRecycled: true })
    await expect(former.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    const { user } = await signInWithCredential(service.browser(), byGoogle({ sub: claims.sub }))
    expect(user.uid).not.toBe(former.uid)
  })

  test('can be brought back from a thief who moved the account to their own, and cleared it there', async () => {
    const { auth, user } = await signUp('robbed@example.test')
    const theirs = newcomer()
    await verifyBeforeUpdateEmail(user, theirs.email)
    await applyActionCode(auth, codeIn(await service.nextMail(theirs.email)))
    const wayBack = codeIn(await service.nextMail('robbed@example.test', 'recoverEmail'))
    service.advance(2000)
    const { user: thief } = await signInWithEmailAndPassword(auth, theirs.email, PASSWORD)
    await linkWithCredential(thief, byGoogle({ sub: 'another of the thief' }))
    await signInWithCredential(service.browser(), byGoogle(theirs))
    await applyActionCode(service.browser(), wayBack)
    expect(await usersWith('robbed@example.test')).toMatchObject([{ uid: user.uid }])
  })

  test('asks for their own sign-in where any other issuer says it; then the account is linked', async () => {
    const claims = newcomer()
    await signUp(claims.email)
    const credential = byWork(claims)
    const refused = await signInWithCredential(service.browser(), credential).catch(
      (error: AuthError) => error,
    )
    expect(refused).toMatchObject({ code: 'auth/account-exists-with-different-credential' })
    expect(refused).toMatchObject({ customData: { email: claims.email } })
    // Which ways they have would tell more than a sign-up with the address does.
    expect(refused).not.toHaveProperty('customData._tokenResponse.verifiedProvider')
    expect(refused).not.toHaveProperty('customData._tokenResponse.localId')

    const pending = OAuthProvider.credentialFromError(refused as AuthError) // it was not signed in: checked above
    if (!pending) throw new Error('there is no credential to go on with')
    const { user } = await signInWithEmailAndPassword(service.browser(), claims.email, PASSWORD)
    const linked = await linkWithCredential(user, pending)
    expect(providersOf(linked.user)).toEqual(['oidc.work', 'password'])
    const again = await signInWithCredential(service.browser(), byWork(claims))
    expect(again.user.uid).toBe(user.uid)
  })

  test('is told with the ways in where nothing is hidden', async () => {
    const open = await startIdentity({ rules: { providers: PROVIDERS, hidesWhoIsKnown: false } })
    const claims = newcomer()
    await signUp(claims.email, open)
    const answer = await call(post(work.token(claims)), open)
    expect(JSON.parse(answer.body)).toMatchObject({ needConfirmation: true, verifiedProvider: ['password'] })
    await open.close()
  })
})

describe('linking', () => {
  test('adds a way in, and unlinking takes it away', async () => {
    const claims = newcomer()
    const { user } = await signUp(`link-${claims.email}`)
    const linked = await linkWithCredential(user, byGoogle(claims))
    expect(linked.user.uid).toBe(user.uid)
    expect(linked.user.email).toBe(`link-${claims.email}`)
    expect(providersOf(linked.user)).toEqual(['google.com', 'password'])
    const { user: same } = await signInWithCredential(service.browser(), byGoogle(claims))
    expect(same.uid).toBe(user.uid)
    await expect(linkWithCredential(user, byGoogle(claims))).rejects.toEqual(code('provider-already-linked'))

    expect(providersOf(await unlink(user, 'google.com'))).toEqual(['password'])
    const { user: another } = await signInWithCredential(service.browser(), byGoogle(claims))
    expect(another.uid).not.toBe(user.uid)
  })

  test('is refused where somebody else has the account; the credential can still be used to be them', async () => {
    const claims = newcomer()
    const { user: owner } = await signInWithCredential(service.browser(), byWork(claims))
    const { user } = await signUp(`other-${claims.email}`)
    const refused = await linkWithCredential(user, byWork(claims)).catch((error: AuthError) => error)
    expect(refused).toMatchObject({
      code: 'auth/credential-already-in-use',
      customData: { email: claims.email },
    })
    const pending = OAuthProvider.credentialFromError(refused as AuthError) // it was not linked: checked above
    if (!pending) throw new Error('there is no credential to go on with')
    const { user: entered } = await signInWithCredential(service.browser(), pending)
    expect(entered.uid).toBe(owner.uid)
    await expect(signInWithCredential(service.browser(), pending)).rejects.toEqual(
      code('missing-or-invalid-nonce'),
    )
  })

  test('says so in the answer itself, where that is asked for', async () => {
    const claims = newcomer()
    await signInWithCredential(service.browser(), byWork(claims))
    const { user } = await signUp(`said-${claims.email}`)
    const idToken = await user.getIdToken()
    const answer = await call({ ...post(work.token(claims)), idToken, returnIdpCredential: true })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({
      errorMessage: 'FEDERATED_USER_ID_ALREADY_LINKED',
      pendingToken: expect.any(String) as string,
    })
  })

  test('is refused where somebody else has its address', async () => {
    const claims = newcomer()
    await signUp(claims.email)
    const { user } = await signUp(`mine-${claims.email}`)
    await expect(linkWithCredential(user, byGoogle(claims))).rejects.toEqual(code('email-already-in-use'))
  })

  test('a second account of one provider is refused', async () => {
    const { user } = await signInWithCredential(service.browser(), byGoogle(newcomer()))
    const body = post(google.token(newcomer()), '', 'google.com')
    expect(await messageOf({ ...body, idToken: await user.getIdToken() })).toBe('PROVIDER_ALREADY_LINKED')
  })

  test('of two users at once, one has the account', async () => {
    const claims = newcomer()
    const users = await Promise.all(['one', 'two', 'three'].map((name) => signUp(`${name}-${claims.email}`)))
    const outcomes = await Promise.allSettled(
      users.map(async ({ user }) => linkWithCredential(user, byWork({ sub: claims.sub }))),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('takes a recent sign-in: a token that was stolen must not leave a way in behind', async () => {
    const later = await startIdentity({ rules: { providers: PROVIDERS } })
    const claims = newcomer()
    const { user } = await signUp(`stolen-${claims.email}`, later)
    later.advance(301_000)
    await expect(linkWithCredential(user, byWork({ sub: claims.sub }))).rejects.toEqual(
      code('requires-recent-login'),
    )
    await reauthenticateWithCredential(user, EmailAuthProvider.credential(user.email ?? '', PASSWORD))
    await linkWithCredential(user, byWork({ sub: claims.sub }))
    await later.close()
  })
})

describe('who shows once more who they are', () => {
  test('is taken for the same one', async () => {
    const claims = newcomer()
    const { user } = await signInWithCredential(service.browser(), byGoogle(claims))
    const again = await reauthenticateWithCredential(user, byGoogle(claims))
    expect(again.user.uid).toBe(user.uid)
  })

  test('with the account of another, or of nobody, stays signed in and hears of it', async () => {
    const claims = newcomer()
    await signInWithCredential(service.browser(), byGoogle(claims))
    const auth = service.browser()
    const { user } = await signInWithCredential(auth, byGoogle(newcomer()))
    await expect(reauthenticateWithCredential(user, byGoogle(claims))).rejects.toEqual(code('user-mismatch'))
    const nobody = newcomer()
    await expect(reauthenticateWithCredential(user, byGoogle(nobody))).rejects.toEqual(code('user-mismatch'))
    expect(await usersWith(nobody.email)).toEqual([])
    expect(auth.currentUser?.uid).toBe(user.uid)
    await user.reload()
  })
})

const withNonce = (claims: Claims, rawNonce?: string) =>
  new OAuthProvider('oidc.work').credential({
    idToken: work.token({ ...claims, nonce: sha256('a nonce') }),
    ...(rawNonce !== undefined && { rawNonce }),
  })

describe('a nonce', () => {
  test('lets a token in once', async () => {
    const claims = newcomer()
    await signInWithCredential(service.browser(), withNonce(claims, 'a nonce'))
    for (const replayed of [withNonce(claims, 'a nonce'), withNonce({ ...claims, jti: 'x' }, 'a nonce')]) {
      await expect(signInWithCredential(service.browser(), replayed)).rejects.toEqual(
        code('missing-or-invalid-nonce'),
      )
    }
  })

  test('lets one of several in that come at once', async () => {
    const body = post(work.token({ ...newcomer(), nonce: sha256('a nonce') }), '&nonce=a%20nonce')
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(7)
  })

  test('must be the one that the token carries the hash of', async () => {
    for (const rawNonce of [undefined, 'another', sha256('a nonce')]) {
      await expect(signInWithCredential(service.browser(), withNonce(newcomer(), rawNonce))).rejects.toEqual(
        code('missing-or-invalid-nonce'),
      )
    }
  })

  test('is not used up by a sign-in that comes to nothing', async () => {
    const body = post(work.token({ ...newcomer(), nonce: sha256('a nonce') }), '&nonce=a%20nonce')
    expect(await messageOf({ ...body, autoCreate: false })).toBe('EMAIL_NOT_FOUND')
    expect((await call(body)).status).toBe(200)
  })
})

describe('is refused', () => {
  test.each([
    [
      'a token for another audience',
      { aud: 'another' },
      {},
      'The audience in ID Token does not match the expected audience.',
    ],
    [
      'one of another issuer',
      { iss: 'https://a.test' },
      {},
      'The issuer in ID Token does not match the expected one in config.',
    ],
    ['one that ran out', { iat: 1, exp: 2 }, {}, 'The ID Token is stale to sign-in.'],
    ['one of nobody', { sub: '' }, {}, "ID Token does not contain user's identity in 'sub' claim."],
    [
      'one without signature',
      {},
      { header: { alg: 'none' }, signedBy: 'nobody' },
      'Unable to verify the ID Token signature.',
    ],
    ['one that a stranger signed', {}, { signedBy: 'stranger' }, 'Unable to verify the ID Token signature.'],
  ] as const)('%s', async (_name, claims, how, detail) => {
    expect(await messageOf(post(work.token(claims, how)))).toBe(`INVALID_IDP_RESPONSE : ${detail}`)
  })

  test('one signed with the public key as a secret', async () => {
    const how = { header: { alg: 'HS256' }, signedBy: { secret: work.publicPem() } }
    expect(await messageOf(post(work.token({}, how)))).toMatch(/^INVALID_IDP_RESPONSE/)
  })

  test('one of another provider under this name', async () => {
    expect(await messageOf(post(google.token(newcomer())))).toMatch(/^INVALID_IDP_RESPONSE/)
  })

  test('a provider that is not configured', async () => {
    const credential = new OAuthProvider('oidc.other').credential({ idToken: work.token({}) })
    await expect(signInWithCredential(service.browser(), credential)).rejects.toEqual(
      code('operation-not-allowed'),
    )
  })

  test.each<[string, object]>([
    ['MISSING_REQUEST_URI', { requestUri: undefined, ...post('x') }],
    ['INVALID_REQUEST_URI', { requestUri: 'localhost', ...post('x') }],
    ['INVALID_REQUEST_URI', { requestUri: 'file:///etc/passwd', ...post('x') }],
    ['INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential', {}],
    ['INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential', { postBody: 'id_token=x' }],
    [
      'INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential',
      { postBody: 'access_token=x&providerId=oidc.work' },
    ],
    ['INVALID_IDP_RESPONSE : Unable to parse the ID Token.', post('no-token')],
    ['INVALID_ID_TOKEN', { ...post(work.token({})), idToken: 'no-token' }],
    ['INVALID_PENDING_TOKEN', { pendingToken: 'no-token' }],
  ])('with %s: %j', async (message, body) => {
    expect(await messageOf(body)).toBe(message)
  })

  test('what was to be taken up later, once a quarter of an hour is over, or where it is tampered with', async () => {
    const later = await startIdentity({ rules: { providers: PROVIDERS } })
    const claims = newcomer()
    await signUp(claims.email, later)
    const answer = JSON.parse((await call(post(work.token(claims)), later)).body) as unknown
    const { pendingToken } = z.object({ pendingToken: z.string() }).parse(answer)
    const flipped = `${pendingToken.slice(0, -2)}${pendingToken.at(-2) === 'A' ? 'B' : 'A'}${pendingToken.at(-1)}`
    expect(await messageOf({ pendingToken: flipped }, later)).toBe('INVALID_PENDING_TOKEN')
    later.advance(901_000)
    expect(await messageOf({ pendingToken }, later)).toBe('INVALID_PENDING_TOKEN')
    await later.close()
  })
})

test('nothing is fetched from where the caller says', async () => {
  const elsewhere = await startOidcIssuer(service.now)
  const header = { jku: `${elsewhere.url}/keys`, x5u: `${elsewhere.url}/keys` }
  const claims = { ...newcomer(), iss: elsewhere.url }
  for (const token of [elsewhere.token(claims), work.token({}, { header, signedBy: 'stranger' })]) {
    expect((await call({ requestUri: `${elsewhere.url}/?x=1`, ...post(token) })).status).toBe(400)
  }
  expect(elsewhere.asked).toEqual([])
  await elsewhere.close()
})

test('while the provider is down, who is signed in stays so, and is told of the network', async () => {
  const down = await startOidcIssuer(() => clock())
  down.behave('keys', { status: 503 })
  const providers = [{ id: 'oidc.work', issuer: down.url, clientId: CLIENT }]
  const here = await startIdentity({ rules: { providers } })
  const token = down.token({ sub: 'somebody' })
  const answer = await call(post(token), here)
  expect(answer).toMatchObject({ status: 503, type: expect.stringMatching(/^text\/plain/) as string })
  const { auth, user } = await signUp('stays@example.test', here)
  const credential = new OAuthProvider('oidc.work').credential({ idToken: token })
  await expect(linkWithCredential(user, credential)).rejects.toEqual(code('network-request-failed'))
  expect(auth.currentUser?.uid).toBe(user.uid)
  down.behave('keys', 'well')
  await linkWithCredential(user, credential)
  await here.close()
  await down.close()
})

test('guesses from one address are counted', async () => {
  const here = await startIdentity({ rules: { providers: PROVIDERS } })
  const guess = () =>
    here.app.inject({
      method: 'POST',
      url: '/identity/v1/accounts:signInWithIdp?key=reelay',
      remoteAddress: '192.0.2.7',
      payload: { requestUri: 'http://localhost', ...post('no-token') },
    })
  await Promise.all(Array.from({ length: 100 }, guess))
  expect((await guess()).json()).toMatchObject({
    error: { message: expect.stringMatching(/^TOO_MANY_ATTEMPTS_TRY_LATER/) as string },
  })
  await here.close()
})

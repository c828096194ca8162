import {
  ActionCodeOperation,
  applyActionCode,
  checkActionCode,
  confirmPasswordReset,
  createUserWithEmailAndPassword,
  EmailAuthProvider,
  getAdditionalUserInfo,
  isSignInWithEmailLink,
  linkWithCredential,
  reauthenticateWithCredential,
  sendEmailVerification,
  sendPasswordResetEmail,
  sendSignInLinkToEmail,
  signInWithEmailAndPassword,
  signInWithEmailLink,
  updatePassword,
  verifyBeforeUpdateEmail,
  verifyPasswordResetCode,
} from '@firebase/auth'
import { afterAll, describe, expect, test } from 'vitest'
import { codeIn, linkIn, PASSWORD, startIdentity } from '#test/support/identity.ts'
import { secretHash } from '#base/secret.ts'

const service = await startIdentity({ rules: { authorizedDomains: ['friends.example'] } })
afterAll(() => service.close())

const code = (name: string) => expect.objectContaining({ code: `auth/${name}` }) as Error
const HOUR_MS = 3_600_000

async function signUp(email: string) {
  const auth = service.browser()
  const { user } = await createUserWithEmailAndPassword(auth, email, PASSWORD)
  return { auth, user }
}

const atOnce = async (attempts: Promise<unknown>[]) =>
  (await Promise.allSettled(attempts))
    .map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as { code: string }).code.replace('auth/', ''),
    )
    .toSorted()

/** Users without a password, as created by mailed links or other providers. */
const removePassword = (uid: string) =>
  service.db
    .updateTable('identity_users')
    .set({ password_hash: null, password_updated_at: null })
    .where('uid', '=', uid)
    .execute()

const signInLink = { url: `${service.publicUrl}/dashboard`, handleCodeInApp: true }

describe('a verification mail', () => {
  test('may be inspected repeatedly and verifies once', async () => {
    const { auth, user } = await signUp('prove@example.test')
    await sendEmailVerification(user)
    const mail = await service.nextMail('prove@example.test', 'verifyEmail')
    const oobCode = codeIn(mail)
    for (let look = 0; look < 2; look += 1) {
      expect(await checkActionCode(auth, oobCode)).toEqual({
        operation: ActionCodeOperation.VERIFY_EMAIL,
        data: { email: 'prove@example.test', previousEmail: null, multiFactorInfo: null },
      })
    }
    await user.reload()
    expect(user.emailVerified).toBe(false)
    await applyActionCode(auth, oobCode)
    await user.reload()
    expect(user.emailVerified).toBe(true)
    expect((await user.getIdTokenResult(true)).claims['email_verified']).toBe(true)
    await expect(applyActionCode(auth, oobCode)).rejects.toEqual(code('invalid-action-code'))
  })

  test('is valid for three days', async () => {
    const { auth, user } = await signUp('prove-late@example.test')
    await sendEmailVerification(user)
    const oobCode = codeIn(await service.nextMail('prove-late@example.test'))
    service.advance(72 * HOUR_MS - 1000)
    await checkActionCode(auth, oobCode)
    service.advance(1000)
    await expect(checkActionCode(auth, oobCode)).rejects.toEqual(code('expired-action-code'))
    await expect(applyActionCode(auth, oobCode)).rejects.toEqual(code('expired-action-code'))
  })

  test('is void after a password change', async () => {
    const { auth, user } = await signUp('prove-void@example.test')
    await sendEmailVerification(user)
    const oobCode = codeIn(await service.nextMail('prove-void@example.test'))
    await updatePassword(user, 'another password')
    await expect(applyActionCode(auth, oobCode)).rejects.toEqual(code('invalid-action-code'))
  })

  test('continues to our own and authorized hosts only', async () => {
    const { user } = await signUp('back@example.test')
    for (const url of [`${service.publicUrl}/settings?a=1&b=2`, 'https://app.friends.example/x']) {
      await sendEmailVerification(user, { url })
      const mail = await service.nextMail('back@example.test')
      expect(new URL(linkIn(mail)).searchParams.get('continueUrl')).toBe(url)
    }
    const own = new URL(service.publicUrl)
    own.port = String(Number(own.port) + 1)
    const foreign = [
      'https://notfriends.example/',
      'http://127.0.0.1.evil.example/',
      'https://friends.example:8443/',
      'https://app.friends.example:8443/',
      own.href,
      `http://${own.hostname}/`,
      `https://${new URL(service.publicUrl).host}/`,
    ]
    for (const url of foreign) {
      await expect(sendEmailVerification(user, { url })).rejects.toEqual(code('unauthorized-continue-uri'))
    }
    for (const url of ['nowhere', 'javascript:alert(1)', `https://friends.example@evil.example/`]) {
      await expect(sendEmailVerification(user, { url })).rejects.toEqual(code('invalid-continue-uri'))
    }
  })

  test('is in English whatever the language of the page', async () => {
    const { auth, user } = await signUp('tongue@example.test')
    auth.languageCode = 'de'
    await sendEmailVerification(user)
    const mail = await service.nextMail('tongue@example.test')
    expect(mail.subject).toBe('Confirm your email address for Reelay')
    expect(mail.html).toContain('<html lang="en">')
  })
})

describe('an address change', () => {
  test('is verified at the new address, ends all sessions and can be undone', async () => {
    const { auth, user } = await signUp('old@example.test')
    await verifyBeforeUpdateEmail(user, 'New@example.test')
    const mail = await service.nextMail('new@example.test', 'verifyAndChangeEmail')
    expect(mail.text).toContain('old@example.test')
    const other = service.browser()
    expect(await checkActionCode(other, codeIn(mail))).toMatchObject({
      operation: ActionCodeOperation.VERIFY_AND_CHANGE_EMAIL,
      data: { email: 'new@example.test', previousEmail: 'old@example.test' },
    })
    await applyActionCode(other, codeIn(mail))

    await expect(user.reload()).rejects.toEqual(code('user-token-expired'))
    expect(auth.currentUser).toBeNull()
    await expect(signInWithEmailAndPassword(other, 'old@example.test', PASSWORD)).rejects.toEqual(
      code('invalid-credential'),
    )
    const { user: moved } = await signInWithEmailAndPassword(other, 'new@example.test', PASSWORD)
    expect(moved).toMatchObject({ uid: user.uid, emailVerified: true })

    const warning = await service.nextMail('old@example.test', 'recoverEmail')
    expect(warning.subject).toBe('The email address of your Reelay account was changed')
    const back = service.browser()
    expect(await checkActionCode(back, codeIn(warning))).toMatchObject({
      operation: ActionCodeOperation.RECOVER_EMAIL,
      data: { email: 'old@example.test', previousEmail: 'new@example.test' },
    })
    // A new password set by the attacker does not revoke the recovery link.
    await updatePassword(moved, 'the password of a thief')
    await applyActionCode(back, codeIn(warning))
    await expect(moved.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    await expect(applyActionCode(back, codeIn(warning))).rejects.toEqual(code('invalid-action-code'))
    await sendPasswordResetEmail(back, 'old@example.test')
    const reset = await service.nextMail('old@example.test', 'resetPassword')
    await confirmPasswordReset(back, codeIn(reset), 'a password of mine')
    const { user: again } = await signInWithEmailAndPassword(back, 'old@example.test', 'a password of mine')
    expect(again).toMatchObject({ uid: user.uid, emailVerified: true })
  })

  test('repeated by an attacker is undone by the first address only', async () => {
    const { user } = await signUp('first@example.test')
    const auth = service.browser()
    await verifyBeforeUpdateEmail(user, 'thief-1@example.test')
    await applyActionCode(auth, codeIn(await service.nextMail('thief-1@example.test')))
    service.advance(2000)
    const { user: thief } = await signInWithEmailAndPassword(auth, 'thief-1@example.test', PASSWORD)
    await verifyBeforeUpdateEmail(thief, 'thief-2@example.test')
    await applyActionCode(auth, codeIn(await service.nextMail('thief-2@example.test')))
    const mine = codeIn(await service.nextMail('first@example.test', 'recoverEmail'))
    const theirs = codeIn(await service.nextMail('thief-1@example.test', 'recoverEmail'))
    await applyActionCode(auth, mine)
    await expect(applyActionCode(auth, theirs)).rejects.toEqual(code('invalid-action-code'))
    await signInWithEmailAndPassword(auth, 'first@example.test', PASSWORD)
  })

  test('to a taken address is answered alike and sends no mail', async () => {
    await signUp('theirs@example.test')
    const { user } = await signUp('mine@example.test')
    await verifyBeforeUpdateEmail(user, 'theirs@example.test')
    await sendEmailVerification(user)
    await service.nextMail('mine@example.test', 'verifyEmail')
    expect((await service.mails()).filter(({ to }) => to === 'theirs@example.test')).toEqual([])
    await expect(verifyBeforeUpdateEmail(user, 'mine@example.test')).rejects.toEqual(
      code('email-already-in-use'),
    )
  })

  test('requires a sign-in within five minutes', async () => {
    const { user } = await signUp('stale@example.test')
    service.advance(5 * 60_000 + 1000)
    await expect(verifyBeforeUpdateEmail(user, 'stale-new@example.test')).rejects.toEqual(
      code('requires-recent-login'),
    )
    const credential = EmailAuthProvider.credential('stale@example.test', PASSWORD)
    await reauthenticateWithCredential(user, credential)
    await verifyBeforeUpdateEmail(user, 'stale-new@example.test')
  })

  test('by two users to the same address succeeds for one of them', async () => {
    const people = await Promise.all(['racer-1@example.test', 'racer-2@example.test'].map(signUp))
    await Promise.all(people.map(({ user }) => verifyBeforeUpdateEmail(user, 'prize@example.test')))
    const codes = [
      codeIn(await service.nextMail('prize@example.test')),
      codeIn(await service.nextMail('prize@example.test')),
    ]
    expect(await atOnce(codes.map((each) => applyActionCode(service.browser(), each)))).toEqual([
      'done',
      'email-already-in-use',
    ])
  })

  test('with one code used twice concurrently happens once', async () => {
    const { user } = await signUp('double@example.test')
    await verifyBeforeUpdateEmail(user, 'doubled@example.test')
    const oobCode = codeIn(await service.nextMail('doubled@example.test'))
    const twice = [service.browser(), service.browser()].map((auth) => applyActionCode(auth, oobCode))
    expect(await atOnce(twice)).toEqual(['done', 'invalid-action-code'])
  })

  test('concurrent with a password change happens before it or not at all', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [from, to] = [`meanwhile-${round}@example.test`, `meanwhile-${round}-new@example.test`]
      const { user } = await signUp(from)
      await verifyBeforeUpdateEmail(user, to)
      const oobCode = codeIn(await service.nextMail(to))
      const [changed, moved] = await Promise.allSettled([
        updatePassword(user, 'another password'),
        applyActionCode(service.browser(), oobCode),
      ])
      const [email, password] = [
        moved.status === 'fulfilled' ? to : from,
        changed.status === 'fulfilled' ? 'another password' : PASSWORD,
      ]
      expect([changed.status, moved.status].toSorted()).toEqual(['fulfilled', 'rejected'])
      const { user: now } = await signInWithEmailAndPassword(service.browser(), email, password)
      expect(now.uid).toBe(user.uid)
    }
  })
})

describe('a mailed link', () => {
  test('creates a user, and signs the same user in again', async () => {
    const auth = service.browser()
    await sendSignInLinkToEmail(auth, 'Linked@example.test', signInLink)
    const mail = await service.nextMail('linked@example.test', 'signIn')
    const link = linkIn(mail)
    expect(isSignInWithEmailLink(auth, link)).toBe(true)
    expect(new URL(link).searchParams.get('continueUrl')).toBe(signInLink.url)
    expect(await checkActionCode(auth, codeIn(mail))).toEqual({
      operation: ActionCodeOperation.EMAIL_SIGNIN,
      data: { email: null, previousEmail: null, multiFactorInfo: null },
    })
    await expect(signInWithEmailLink(auth, 'else@example.test', link)).rejects.toEqual(code('invalid-email'))
    const credential = await signInWithEmailLink(auth, 'linked@example.test', link)
    expect(getAdditionalUserInfo(credential)?.isNewUser).toBe(true)
    const { user } = credential
    expect(user).toMatchObject({
      email: 'linked@example.test',
      emailVerified: true,
      isAnonymous: false,
      providerData: [{ providerId: 'password' }],
    })
    expect((await user.getIdTokenResult()).signInProvider).toBe('password')
    await expect(signInWithEmailLink(auth, 'linked@example.test', link)).rejects.toEqual(
      code('invalid-action-code'),
    )

    await sendSignInLinkToEmail(auth, 'linked@example.test', signInLink)
    const second = linkIn(await service.nextMail('linked@example.test', 'signIn'))
    const again = await signInWithEmailLink(service.browser(), 'linked@example.test', second)
    expect(again.user.uid).toBe(user.uid)
    expect(getAdditionalUserInfo(again)?.isNewUser).toBe(false)
  })

  test('is valid for six hours', async () => {
    const auth = service.browser()
    await sendSignInLinkToEmail(auth, 'slow-link@example.test', signInLink)
    const link = linkIn(await service.nextMail('slow-link@example.test'))
    service.advance(6 * HOUR_MS)
    await expect(signInWithEmailLink(auth, 'slow-link@example.test', link)).rejects.toEqual(
      code('expired-action-code'),
    )
  })

  test('used twice concurrently creates one user and one session', async () => {
    const auth = service.browser()
    await sendSignInLinkToEmail(auth, 'new-twice@example.test', signInLink)
    await sendSignInLinkToEmail(auth, 'new-twice@example.test', signInLink)
    const links = [
      linkIn(await service.nextMail('new-twice@example.test')),
      linkIn(await service.nextMail('new-twice@example.test')),
    ]
    const [first = ''] = links
    const use = (link: string) => signInWithEmailLink(service.browser(), 'new-twice@example.test', link)
    expect(await atOnce([use(first), use(first)])).toEqual(['done', 'invalid-action-code'])
    const auths = [service.browser(), service.browser()]
    await Promise.all(auths.map((each) => sendSignInLinkToEmail(each, 'new-two@example.test', signInLink)))
    const two = [
      linkIn(await service.nextMail('new-two@example.test')),
      linkIn(await service.nextMail('new-two@example.test')),
    ]
    const users = await Promise.all(
      two.map((link) => signInWithEmailLink(service.browser(), 'new-two@example.test', link)),
    )
    expect(new Set(users.map(({ user }) => user.uid)).size).toBe(1)
  })

  test('to an unverified account revokes the access of its creator', async () => {
    const { user: stranger } = await signUp('victim@example.test')
    const auth = service.browser()
    await sendSignInLinkToEmail(auth, 'victim@example.test', signInLink)
    const link = linkIn(await service.nextMail('victim@example.test'))
    const { user } = await signInWithEmailLink(auth, 'victim@example.test', link)
    expect(user.uid).toBe(stranger.uid)
    await expect(stranger.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    await expect(
      signInWithEmailAndPassword(service.browser(), 'victim@example.test', PASSWORD),
    ).rejects.toEqual(code('invalid-credential'))
    await user.reload()
  })

  test('to an unverified account without password revokes existing sessions', async () => {
    const { user: stranger } = await signUp('waited-for@example.test')
    await removePassword(stranger.uid)
    const auth = service.browser()
    await sendSignInLinkToEmail(auth, 'waited-for@example.test', signInLink)
    const link = linkIn(await service.nextMail('waited-for@example.test'))
    const { user } = await signInWithEmailLink(auth, 'waited-for@example.test', link)
    expect(user.uid).toBe(stranger.uid)
    await expect(stranger.getIdToken(true)).rejects.toEqual(code('user-token-expired'))
    await user.reload()
  })

  test('to a verified account keeps its password', async () => {
    const { auth, user } = await signUp('both-ways@example.test')
    await sendEmailVerification(user)
    await applyActionCode(auth, codeIn(await service.nextMail('both-ways@example.test')))
    await sendSignInLinkToEmail(auth, 'both-ways@example.test', signInLink)
    const link = linkIn(await service.nextMail('both-ways@example.test', 'signIn'))
    service.advance(10 * 60_000)
    await reauthenticateWithCredential(
      user,
      EmailAuthProvider.credentialWithLink('both-ways@example.test', link),
    )
    await verifyBeforeUpdateEmail(user, 'both-ways-new@example.test')
    await signInWithEmailAndPassword(service.browser(), 'both-ways@example.test', PASSWORD)
  })

  test('cannot be linked to a signed-in user', async () => {
    const { auth, user } = await signUp('signed-in@example.test')
    await sendSignInLinkToEmail(auth, 'signed-in@example.test', signInLink)
    const link = linkIn(await service.nextMail('signed-in@example.test'))
    await removePassword(user.uid)
    Object.assign(user, { providerData: [] })
    const credential = EmailAuthProvider.credentialWithLink('signed-in@example.test', link)
    await expect(linkWithCredential(user, credential)).rejects.toEqual(code('operation-not-allowed'))
  })

  test('with a continue URL on another host is not sent', async () => {
    const auth = service.browser()
    const send = (url: string) =>
      sendSignInLinkToEmail(auth, 'a@example.test', { url, handleCodeInApp: true })
    await expect(send('https://evil.example/')).rejects.toEqual(code('unauthorized-continue-uri'))
    await expect(send('/dashboard')).rejects.toEqual(code('invalid-continue-uri'))
  })
})

describe('a password reset', () => {
  test('sets the password of a user without one', async () => {
    const { user } = await signUp('without@example.test')
    await removePassword(user.uid)
    const auth = service.browser()
    await sendPasswordResetEmail(auth, 'without@example.test')
    const oobCode = codeIn(await service.nextMail('without@example.test'))
    await confirmPasswordReset(auth, oobCode, 'a new password')
    const { user: back } = await signInWithEmailAndPassword(auth, 'without@example.test', 'a new password')
    expect(back.uid).toBe(user.uid)
    expect(back.providerData.map(({ providerId }) => providerId)).toEqual(['password'])
  })

  test('is void after another change of password or address', async () => {
    const auth = service.browser()
    const { user } = await signUp('reset-void@example.test')
    await sendPasswordResetEmail(auth, 'reset-void@example.test')
    const first = codeIn(await service.nextMail('reset-void@example.test', 'resetPassword'))
    await updatePassword(user, 'another password')
    await expect(verifyPasswordResetCode(auth, first)).rejects.toEqual(code('invalid-action-code'))

    await sendPasswordResetEmail(auth, 'reset-void@example.test')
    const second = codeIn(await service.nextMail('reset-void@example.test', 'resetPassword'))
    await verifyBeforeUpdateEmail(user, 'reset-moved@example.test')
    await applyActionCode(auth, codeIn(await service.nextMail('reset-moved@example.test')))
    await expect(confirmPasswordReset(auth, second, 'a new password')).rejects.toEqual(
      code('invalid-action-code'),
    )
  })

  test('with one code used twice concurrently sets one password', async () => {
    await signUp('reset-twice@example.test')
    const auth = service.browser()
    await sendPasswordResetEmail(auth, 'reset-twice@example.test')
    const oobCode = codeIn(await service.nextMail('reset-twice@example.test'))
    const passwords = ['the first password', 'the second password']
    expect(await atOnce(passwords.map((each) => confirmPasswordReset(auth, oobCode, each)))).toEqual([
      'done',
      'invalid-action-code',
    ])
  })
})

test('a code cannot be used for another purpose', async () => {
  const { auth, user } = await signUp('kinds@example.test')
  await sendEmailVerification(user)
  await sendPasswordResetEmail(auth, 'kinds@example.test')
  await sendSignInLinkToEmail(auth, 'kinds@example.test', signInLink)
  const verify = await service.nextMail('kinds@example.test', 'verifyEmail')
  const reset = await service.nextMail('kinds@example.test', 'resetPassword')
  const link = await service.nextMail('kinds@example.test', 'signIn')
  const wrong = code('invalid-action-code')
  await expect(confirmPasswordReset(auth, codeIn(verify), 'a new password')).rejects.toEqual(wrong)
  await expect(confirmPasswordReset(auth, codeIn(link), 'a new password')).rejects.toEqual(wrong)
  await expect(applyActionCode(auth, codeIn(reset))).rejects.toEqual(wrong)
  await expect(applyActionCode(auth, codeIn(link))).rejects.toEqual(wrong)
  for (const mail of [verify, reset]) {
    const forged = linkIn(mail).replace(/mode=\w+/, 'mode=signIn')
    await expect(signInWithEmailLink(auth, 'kinds@example.test', forged)).rejects.toEqual(wrong)
  }
  await applyActionCode(auth, codeIn(verify))
  await signInWithEmailLink(auth, 'kinds@example.test', linkIn(link))
  await confirmPasswordReset(auth, codeIn(reset), 'a new password')
})

test('without enumeration protection unknown and taken addresses are reported', async () => {
  const open = await startIdentity({ rules: { enumerationProtection: false } })
  const auth = open.browser()
  await createUserWithEmailAndPassword(open.browser(), 'taken@example.test', PASSWORD)
  const { user } = await createUserWithEmailAndPassword(auth, 'asks@example.test', PASSWORD)
  await expect(sendPasswordResetEmail(auth, 'nobody@example.test')).rejects.toEqual(code('user-not-found'))
  await expect(verifyBeforeUpdateEmail(user, 'taken@example.test')).rejects.toEqual(
    code('email-already-in-use'),
  )
  await open.close()
})

test('with closed sign-up no mailed link is sent to or accepted from new users', async () => {
  const closed = await startIdentity({ admit: async () => ({ kind: 'closed' }) })
  const auth = closed.browser()
  const link = `${closed.publicUrl}/__/auth/action?mode=signIn&apiKey=reelay&oobCode=`
  await sendSignInLinkToEmail(auth, 'late@example.test', { url: closed.publicUrl, handleCodeInApp: true })
  await expect.poll(() => closed.db.selectFrom('identity_mail_requests').selectAll().execute()).toEqual([])
  expect(await closed.mails()).toEqual([])
  // Sent before sign-up was closed.
  await closed.db
    .insertInto('identity_codes')
    .values({
      code_hash: secretHash('sent-before'),
      purpose: 'email_sign_in',
      email: 'late@example.test',
      expires_at: new Date(closed.now() + HOUR_MS),
    })
    .execute()
  await expect(signInWithEmailLink(auth, 'late@example.test', `${link}sent-before`)).rejects.toEqual(
    code('admin-restricted-operation'),
  )
  await closed.close()
})

test('the 11th mail to one address within an hour is refused', async () => {
  const auth = service.browser()
  const send = () => sendSignInLinkToEmail(auth, 'flooded@example.test', signInLink)
  for (let mail = 0; mail < 10; mail += 1) await send()
  await expect(send()).rejects.toEqual(code('too-many-requests'))
})

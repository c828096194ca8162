import { expect, test } from 'vitest'
import type { IdentityUser } from '../store/users.ts'
import { decide } from './federated.ts'
import type { Decision, Scene } from './federated.ts'

// Whose account it is, for everything that can be known of it.

const EMAIL = 'ada@gmail.com'
type Over = Partial<Pick<IdentityUser, 'email' | 'email_verified' | 'disabled' | 'password_hash'>> & {
  readonly has?: readonly string[]
}

function user(uid: string, { has = [], ...over }: Over = {}): IdentityUser {
  const then = new Date(0)
  return {
    uid,
    email: EMAIL,
    email_verified: true,
    display_name: null,
    photo_url: null,
    password_hash: 'a hash',
    password_updated_at: then,
    email_link: false,
    disabled: false,
    custom_claims: null,
    valid_since: then,
    created_at: then,
    last_login_at: then,
    federated: has.map((provider_id) => ({
      provider_id,
      raw_id: 'another',
      email: null,
      display_name: null,
      photo_url: null,
    })),
    ...over,
  }
}

function withLinked(email: string, over: Over = {}): IdentityUser {
  const had = user('a', { has: ['google.com'], ...over })
  return { ...had, federated: had.federated.map((account) => ({ ...account, email })) }
}

const scene = (over: Partial<Scene>): Scene => ({
  asserted: { provider: 'google.com', email: EMAIL, ownsEmail: true },
  known: null,
  namesake: null,
  target: null,
  links: false,
  mayCreate: true,
  signup: 'open',
  ...over,
})
const linking = (target: IdentityUser | null, over: Partial<Scene> = {}) =>
  scene({ target, links: true, ...over })
const says = (over: Partial<Scene['asserted']>) => ({
  asserted: { provider: 'google.com', email: EMAIL, ownsEmail: true, ...over },
})
const UNTRUSTED = says({ provider: 'oidc.work', ownsEmail: false })

test.each<[string, Scene, { readonly kind: Decision['kind']; readonly [field: string]: unknown }]>([
  ['nobody has the account or the address: a new user', scene({}), { kind: 'create' }],
  [
    'nor does it say an address: a new user',
    scene(says({ email: null, ownsEmail: false })),
    { kind: 'create' },
  ],
  ['sign-up is closed: nobody new', scene({ signup: 'closed' }), { kind: 'refuse', why: 'signup_closed' }],
  ['nobody new is wanted', scene({ mayCreate: false }), { kind: 'refuse', why: 'no_such_user' }],
  ['somebody has the account', scene({ known: user('a') }), { kind: 'enter', user: 'a' }],
  [
    'somebody has the account, somebody else the address it has by now',
    scene({ known: user('a', { email: 'old@gmail.com' }), namesake: user('b') }),
    { kind: 'enter', user: 'a' },
  ],
  [
    'they may, with sign-up closed',
    scene({ known: user('a'), signup: 'closed' }),
    { kind: 'enter', user: 'a' },
  ],
  ['they may once more', scene({ known: user('a'), mayCreate: false }), { kind: 'enter', user: 'a' }],
  [
    'they are disabled',
    scene({ known: user('a', { disabled: true }) }),
    { kind: 'refuse', why: 'user_disabled' },
  ],

  [
    'somebody has proven the address, and its provider vouches: the same one',
    scene({ namesake: user('a') }),
    { kind: 'join', user: 'a', clears: false, recycled: false },
  ],
  [
    'somebody took the address without proof: its owner has the account, and nobody else',
    scene({ namesake: user('a', { email_verified: false }) }),
    { kind: 'join', user: 'a', clears: true, recycled: false },
  ],
  [
    'somebody took it through another issuer',
    scene({ namesake: user('a', { email_verified: false, has: ['oidc.work'], password_hash: null }) }),
    { kind: 'join', user: 'a', clears: true, recycled: false },
  ],
  [
    'the provider has given the address to somebody else since',
    scene({ namesake: user('a', { has: ['google.com'] }) }),
    { kind: 'join', user: 'a', clears: true, recycled: true },
  ],
  [
    'they have linked another account there, with another address: they keep it, and their password',
    scene({ namesake: withLinked('ada@corp.example') }),
    { kind: 'confirm', user: 'a' },
  ],
  [
    'so has whoever signed up with the address, which nobody had proven',
    scene({ namesake: withLinked('thief@gmail.com', { email_verified: false }) }),
    { kind: 'join', user: 'a', clears: true, recycled: false },
  ],
  [
    'an issuer that does not keep the mailbox says an address that somebody has',
    scene({ namesake: user('a'), ...UNTRUSTED }),
    { kind: 'confirm', user: 'a' },
  ],
  [
    'and that nobody has proven',
    scene({ namesake: user('a', { email_verified: false }), ...UNTRUSTED }),
    { kind: 'confirm', user: 'a' },
  ],
  [
    'of one who is disabled it tells no more',
    scene({ namesake: user('a', { disabled: true }), ...UNTRUSTED }),
    { kind: 'confirm', user: 'a' },
  ],
  [
    'who is disabled is not let in by the address',
    scene({ namesake: user('a', { disabled: true }) }),
    { kind: 'refuse', why: 'user_disabled' },
  ],
  [
    'who shows once more who they are changes nothing',
    scene({ namesake: user('a'), mayCreate: false }),
    { kind: 'refuse', why: 'no_such_user' },
  ],
  [
    'sign-up is closed: who is here may still come in another way',
    scene({ namesake: user('a'), signup: 'closed' }),
    { kind: 'join', user: 'a', clears: false, recycled: false },
  ],

  [
    'links',
    linking(user('a', { email: 'a@a.test' })),
    { kind: 'link', user: 'a', email: { email: 'a@a.test', proven: true } },
  ],
  [
    'links, and is no more sure of another address than before',
    linking(user('a', { email: 'a@a.test', email_verified: false })),
    { kind: 'link', user: 'a', email: { email: 'a@a.test', proven: false } },
  ],
  [
    'links, and proves the address by it',
    linking(user('a', { email_verified: false }), { namesake: user('a', { email_verified: false }) }),
    { kind: 'link', user: 'a', email: { email: EMAIL, proven: true } },
  ],
  [
    'links, which proves nothing where the issuer does not keep the mailbox',
    linking(user('a', { email_verified: false }), UNTRUSTED),
    { kind: 'link', user: 'a', email: { email: EMAIL, proven: false } },
  ],
  [
    'links, and has an address now',
    linking(user('a', { email: null, email_verified: false, password_hash: null }), UNTRUSTED),
    { kind: 'link', user: 'a', email: { email: EMAIL, proven: false } },
  ],
  ['has linked it before', linking(user('a'), { known: user('a') }), { kind: 'enter', user: 'a' }],
  [
    'somebody else has linked it',
    linking(user('a'), { known: user('b') }),
    { kind: 'taken', why: 'account_linked' },
  ],
  [
    'somebody else has the address',
    linking(user('a', { email: 'a@a.test' }), { namesake: user('b') }),
    { kind: 'taken', why: 'email_taken' },
  ],
  [
    'has linked another account of the provider',
    linking(user('a', { has: ['google.com'] })),
    { kind: 'refuse', why: 'provider_linked' },
  ],
  [
    'never said who they are, which would be somebody new now that sign-up is closed',
    linking(user('a', { email: null, email_verified: false, password_hash: null }), { signup: 'closed' }),
    { kind: 'refuse', why: 'signup_closed' },
  ],
  ['is gone by now', linking(null), { kind: 'refuse', why: 'session_over' }],
  [
    'links with sign-up closed',
    linking(user('a'), { signup: 'closed' }),
    {
      kind: 'link',
      user: 'a',
      email: { email: EMAIL, proven: true },
    },
  ],
])('%s', (_name, given, expected) => {
  const decision = decide(given)
  expect('user' in decision ? { ...decision, user: decision.user.uid } : decision).toEqual(expected)
})

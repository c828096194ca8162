import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A provider of identities on this machine, made after OpenID Connect Core and Discovery: it says where its keys are, and
// signs what it is told to. Nothing here is the product's, so that one misreading cannot satisfy both.

export type Claims = { readonly [name: string]: unknown }

export type OidcIssuer = {
  readonly url: string
  /** An ID token of these claims, for `client` and an hour if they say nothing else. `undefined` leaves a claim out. */
  token(claims: Claims, how?: TokenOptions): string
  /** Signs with a new key from now on; the old one is no longer published. */
  rotate(): void
  /** The public key that it signs with, as a PEM. */
  publicPem(): string
  /** How it answers when it is asked for something. */
  behave(path: 'discovery' | 'keys', how: Behaviour): void
  /** What it was asked for, in order. */
  readonly asked: string[]
  close(): Promise<void>
}

export type TokenOptions = {
  readonly header?: Claims
  readonly signedBy?: 'current' | 'stranger' | 'nobody' | { readonly secret: string }
}
export type Behaviour =
  | 'well'
  | 'hangs'
  | 'drips'
  | 'endless'
  | { readonly status: number; readonly location?: string }
  | { readonly says: object }

export const CLIENT = 'a-client-of-ours'

/** @param now The clock of those who check, in ms. */
export async function startOidcIssuer(now: () => number = Date.now): Promise<OidcIssuer> {
  let made = 0
  const newKey = () => {
    made += 1
    return { kid: `key-${made}`, pair: pairOf(made) }
  }
  let current = newKey()
  const stranger = newKey()
  const behaviour: Record<'discovery' | 'keys', Behaviour> = { discovery: 'well', keys: 'well' }
  const asked: string[] = []

  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    if (path === '/.well-known/openid-configuration') {
      answer(response, behaviour.discovery, { issuer: url, jwks_uri: `${url}/keys` })
    } else if (path === '/keys') {
      const jwk = current.pair.publicKey.export({ format: 'jwk' })
      answer(response, behaviour.keys, { keys: [{ ...jwk, kid: current.kid, use: 'sig', alg: 'RS256' }] })
    } else {
      response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens at a port, not at a pipe

  return {
    url,
    asked,
    token(claims, { header = {}, signedBy = 'current' } = {}) {
      const iat = Math.floor(now() / 1000)
      const key = signedBy === 'stranger' ? stranger : current
      const head = part({ alg: 'RS256', typ: 'JWT', kid: current.kid, ...header })
      const body = part({ iss: url, aud: CLIENT, sub: 'somebody', iat, exp: iat + 3600, ...claims })
      const text = `${head}.${body}`
      return `${text}.${signature(text, signedBy, key.pair.privateKey).toString('base64url')}`
    },
    rotate() {
      current = newKey()
    },
    publicPem: () => current.pair.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    behave(path, how) {
      behaviour[path] = how
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Making one takes a while, and no two issuers of a test are to be told apart by their keys. */
const pairs: ReturnType<typeof makePair>[] = []
const makePair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const pairOf = (number: number) => (pairs[number] ??= makePair())

const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')

function signature(text: string, by: NonNullable<TokenOptions['signedBy']>, key: KeyObject): Buffer {
  if (by === 'nobody') return Buffer.alloc(0)
  if (typeof by === 'object') return createHmac('sha256', by.secret).update(text).digest()
  return sign('sha256', Buffer.from(text), key)
}

function answer(response: ServerResponse, how: Behaviour, content: object): void {
  if (how === 'hangs') return
  if (typeof how === 'object' && 'status' in how) {
    response.writeHead(how.status, how.location ? { location: how.location } : {}).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  if (how === 'drips') {
    response.write('{')
    return
  }
  if (how === 'endless') {
    const more = () => {
      while (response.writable && response.write(' '.repeat(65_536))) continue
    }
    response.on('drain', more)
    more()
    return
  }
  response.end(JSON.stringify(how === 'well' ? content : how.says))
}

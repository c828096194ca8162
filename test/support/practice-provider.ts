import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { freePort } from './ports/free-port.ts'

export type PracticeProvider = {
  /** The value of `OIDC_PROVIDERS` for a server at that address. */
  readonly variable: string
  close(): void
}

/**
 * A real OpenID provider. Whoever logs in as `ana` there is `ana@example.com`, verified; as `ana+admin` also in the group `admins`.
 * @param publicUrl of the server, whose redirect address is registered
 */
export async function startPracticeProvider(
  publicUrl: string,
  { auto = false, name = 'Practice ID' } = {},
): Promise<PracticeProvider> {
  const port = await freePort()
  // The server's own cookies belong to another host name.
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const client = { client_id: 'reelay', client_secret: 'a practice secret' }
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`${publicUrl}/identity/oidc/practice/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['practice'] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        email: `${accountId.replace('+admin', '')}@example.com`,
        email_verified: true,
        name: 'Ana Lima',
        groups: accountId.endsWith('+admin') ? ['admins'] : [],
      }),
    }),
  })
  const server = createServer(provider.callback())
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  const entry = { id: 'practice', name, issuer, ...client, operator_claim: 'groups=admins', auto }
  return {
    variable: JSON.stringify([entry]),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

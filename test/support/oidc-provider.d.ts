declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Account = { accountId: string; claims(): Record<string, unknown> & { sub: string } }

  /** A certified OpenID provider. Its development pages take any name and password. */
  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: { client_id: string; client_secret: string; redirect_uris: string[] }[]
        claims: Record<string, string[]>
        cookies: { keys: string[] }
        jwks: { keys: object[] }
        ttl: Record<string, number>
        findAccount: (context: unknown, id: string) => Account | Promise<Account>
      },
    )
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
}

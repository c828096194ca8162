import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export type TakenMail = {
  readonly from: string
  readonly to: readonly string[]
  readonly user: string | null
  readonly encrypted: boolean
  readonly raw: string
}

export type MailServer = {
  /** Includes the credentials, if required. */
  readonly url: string
  readonly taken: readonly TakenMail[]
  /** Answers later mail for this address with this status. */
  readonly answerTo: (address: string, status: number) => void
  close(): Promise<void>
}

export type MailServerOptions = {
  readonly login?: { readonly user: string; readonly password: string }
  /** Uses a self-signed certificate. */
  readonly starttls?: boolean
  readonly port?: number
  /** Accepts mail without acknowledging it. */
  readonly forgetful?: boolean
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { login, starttls = false, port = 0, forgetful = false } = options
  const taken: TakenMail[] = []
  const answers = new Map<string, number>()
  const server = new SMTPServer({
    logger: false,
    disabledCommands: [...(login ? [] : ['AUTH']), ...(starttls ? [] : ['STARTTLS'])],
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.password
      if (isRight) done(null, { user: username ?? '' })
      else done(Object.assign(new Error('Wrong name or password'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _session, done) {
      const status = answers.get(address)
      done(status === undefined ? null : Object.assign(new Error('Not here'), { responseCode: status }))
    },
    onData(stream, { envelope, user, secure }, done) {
      const take = async () => {
        taken.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          user: typeof user === 'string' ? user : null,
          encrypted: secure,
          raw: await text(stream),
        })
        if (!forgetful) done(null)
      }
      void take()
    },
  })
  // Tests include disconnecting clients and rejected certificates.
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const user = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  return {
    url: `smtp://${user}127.0.0.1:${(server.server.address() as AddressInfo).port}`, // a listening TCP server
    taken,
    answerTo: (address, status) => void answers.set(address, status),
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

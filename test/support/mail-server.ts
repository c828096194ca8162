import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export type TakenMail = {
  readonly from: string
  readonly to: readonly string[]
  readonly user: string | null
  readonly encrypted: boolean
  /** As it came over the line, headers and all. */
  readonly raw: string
}

export type MailServer = {
  /** With name and password, where the server asks for them. */
  readonly url: string
  readonly taken: readonly TakenMail[]
  /** What it says from now on to mail for this address. */
  readonly answerTo: (address: string, status: number) => void
  close(): Promise<void>
}

export type MailServerOptions = {
  readonly login?: { readonly user: string; readonly password: string }
  /** With a certificate of its own that nobody vouches for. */
  readonly starttls?: boolean
  readonly port?: number
  /** Takes mail, and never says so. */
  readonly forgetful?: boolean
}

/** A real mail server on a port of its own, that keeps what it takes. */
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
  // A client that goes away, or that does not like our certificate, is part of what is tested.
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const who = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  return {
    url: `smtp://${who}127.0.0.1:${(server.server.address() as AddressInfo).port}`, // a TCP server that listens has one
    taken,
    answerTo: (address, status) => void answers.set(address, status),
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

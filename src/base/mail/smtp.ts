import type { Transporter } from 'nodemailer'
import { z } from 'zod'
import type { SendResult, Mailer } from './mail.ts'

/** The library's time-outs are minutes; an attempt must end before another process may retry the mail. */
const STEP_TIMEOUT_MS = 10_000

export function createSmtpMailer(options: { url: string; from: string }): Mailer {
  let transport: Transporter | undefined
  const host = /@([^\s<>@]+)>?$/.exec(options.from.trim())?.[1] ?? 'localhost'
  return {
    async send({ key, at, to, unsubscribeUrl, ...content }) {
      try {
        // Loaded with the first mail: a server that sends none starts sooner and uses less memory.
        const { createTransport } = await import('nodemailer')
        transport ??= createTransport(settingsFor(options.url))
        await transport.sendMail({
          from: options.from,
          ...content,
          to: { name: '', address: to },
          // The same at every attempt, so that mail programs recognise duplicates.
          messageId: `<${key}@${host}>`,
          date: at,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl !== undefined && {
              'List-Unsubscribe': `<${unsubscribeUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        })
        return { kind: 'taken' }
      } catch (error) {
        const refused = refusalIn(error)
        if (refused) return refused
        throw error
      }
    },
  }
}

const settingsFor = (url: string) => ({
  url,
  connectionTimeout: STEP_TIMEOUT_MS,
  greetingTimeout: STEP_TIMEOUT_MS,
  socketTimeout: STEP_TIMEOUT_MS,
  // Mails contain only our own texts: nothing in them may name a file or an address to fetch.
  disableFileAccess: true,
  disableUrlAccess: true,
})

const Answered = z.object({ command: z.enum(['RCPT TO', 'DATA']), responseCode: z.int().min(500).max(599) })

/**
 * Only a refusal of this address or mail is definite. A refusal of our greeting, name or password concerns the server's
 * settings, which may be corrected while the mail waits.
 */
function refusalIn(error: unknown): SendResult | null {
  const answered = Answered.safeParse(error)
  return answered.success ? { kind: 'refused', status: answered.data.responseCode } : null
}

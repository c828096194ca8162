import { mediaType } from '../../kit/http/body.ts'
import { type Incoming, isOk, redirectTarget, send } from '../../kit/send.ts'
import { mayFetch } from './robots-txt.ts'

const crawler = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'
const maxRedirects = 3

/** Subcodes that a container's `status` names. */
export const timedOut = 2207003
export const notFetched = 2207052

export interface FetchRules {
  types: readonly string[]
  otherType: number
  maxBytes: number
  tooLarge: number
}

export interface FetchRefusal {
  subcode: number
  detail: string
  status?: number
}

/** Obeys robots.txt and follows a few redirects. */
export async function request(
  url: string,
  method: 'HEAD' | 'GET',
  wanted: FetchRules,
  timeoutMs: number,
): Promise<Incoming | FetchRefusal> {
  let address = new URL(url)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!(await mayFetch(address, crawler, timeoutMs))) {
      return { subcode: notFetched, detail: `Restricted by robots.txt: ${address.href}` }
    }
    const headers = { 'user-agent': crawler, accept: '*/*', 'accept-encoding': 'identity' }
    const answer = await send(address, { method, headers, idleMs: timeoutMs })
    const redirect = redirectTarget(answer, address)
    if (redirect === null) return checkHead(answer, wanted)
    answer.body.destroy()
    address = redirect
  }
  return { subcode: notFetched, detail: 'Too many redirects' }
}

function checkHead(answer: Incoming, wanted: FetchRules): Incoming | FetchRefusal {
  const { status, headers } = answer
  const type = mediaType(headers['content-type'] ?? '')
  const bytes = contentLength(answer)
  const refuse = (subcode: number, detail: string): FetchRefusal => {
    answer.body.destroy()
    return { subcode, detail, status }
  }
  if (!isOk(answer)) return refuse(notFetched, `HTTP error code ${status}`)
  if (!wanted.types.includes(type)) return refuse(wanted.otherType, `Content-Type ${type} is not taken`)
  if (headers['content-encoding'] !== undefined) return refuse(notFetched, 'Content-Encoding is not allowed')
  if (bytes > wanted.maxBytes) return refuse(wanted.tooLarge, `${bytes} bytes are too many`)
  return answer
}

export const contentLength = ({ headers }: Incoming): number => Number(headers['content-length'] ?? '0')

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : 'unreachable')

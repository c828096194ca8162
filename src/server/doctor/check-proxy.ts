import { API } from '#contract/api/api.ts'
import { API_PREFIX } from '#contract/http/addresses.ts'
import type { ServerCheck } from '#contract/operator.ts'
import { REQUEST_MS } from './requests.ts'

const ROW = {
  owner: 'operator',
  severity: 'warning',
  link: 'docs/going-live.md#the-proxy',
} as const

/** Judges the proxies in front by a request of the operator. Empty where they are well. */
export function checkProxy(
  publicUrl: string,
  request: { readonly via: 'direct' | 'proxy' | 'unknown proxy'; readonly ip: string; readonly host: string },
): ServerCheck[] {
  const { via, ip, host } = request
  const row = { ...ROW, id: 'proxy', title: 'Proxy' } as const
  if (via === 'unknown proxy')
    return [
      {
        ...row,
        sentence: `A proxy at ${ip} names the visitor, but is not trusted: all visitors count as one, so limits of log-ins hit everybody.`,
        remedy: `Set TRUST_PROXY to 1, or to the proxy's address: TRUST_PROXY=${ip}.`,
        link: 'docs/operating.md#proxy-details',
      },
    ]
  // Whoever asks past the proxy, at another address, has none in front.
  if (via === 'direct' && publicUrl === `https://${host}`)
    return [
      {
        ...row,
        sentence: `Your request came from ${ip} without a visitor's address: the proxy does not name visitors, so all count as one.`,
        remedy: 'Let the proxy set X-Forwarded-For.',
      },
    ]
  return []
}

/** Opens the operator's own stream of events by the public address: its first line comes at once, unless a proxy keeps it back. */
export async function checkStream(
  publicUrl: string,
  token: string,
  withinMs = REQUEST_MS,
): Promise<ServerCheck[]> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), withinMs)
  try {
    const answer = await fetch(`${publicUrl}${API_PREFIX}${API.streamEvents.path}`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: ended.signal,
    })
    // Another check says if Reelay itself does not answer.
    if (answer.status === 200) await answer.body?.getReader().read()
    return []
  } catch {
    return ended.signal.aborted
      ? [
          {
            ...ROW,
            id: 'stream',
            title: 'Live changes',
            sentence: 'Changes do not reach open pages: something in front of Reelay keeps them back.',
            remedy: `Switch off buffering and compression of the path ${API_PREFIX}${API.streamEvents.path} in the proxy.`,
          },
        ]
      : []
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}

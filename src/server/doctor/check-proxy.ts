import type { ServerCheck } from '#contract/operator.ts'

/** Judges the proxies in front by a request of the operator. Empty where they are well. */
export function checkProxy(
  publicUrl: string,
  request: { readonly via: 'direct' | 'proxy' | 'unknown proxy'; readonly ip: string; readonly host: string },
): ServerCheck[] {
  const { via, ip, host } = request
  const row = {
    id: 'proxy',
    title: 'Proxy',
    owner: 'operator',
    severity: 'warning',
    link: 'docs/going-live.md#the-proxy',
  } as const
  if (via === 'unknown proxy')
    return [
      {
        ...row,
        sentence: `A proxy at ${ip} names the visitor, but is not trusted: all visitors count as one, so limits of log-ins hit everybody.`,
        remedy: `Set TRUST_PROXY to 1, or to the proxy's address: TRUST_PROXY=${ip}.`,
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

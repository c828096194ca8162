/**
 * Where a link wants to lead back to, if the server's owner named that place: anyone can write an address into a link.
 * @param wanted the link's `continueUrl`
 * @param domains as the identity provider has them: a name stands for what is below it too, an IP address for itself
 */
export function wayBack(wanted: string | null, ownOrigin: string, domains: readonly string[]): URL | null {
  const url = wanted === null ? null : URL.parse(wanted)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  // A name before the host is there to mislead.
  if (url.username !== '' || url.password !== '') return null
  if (url.origin === ownOrigin) return url
  return domains.some((domain) => isWithin(url.hostname, domain.toLowerCase())) ? url : null
}

const isWithin = (host: string, domain: string): boolean =>
  host === domain || (!isAddress(domain) && domain !== '' && host.endsWith(`.${domain}`))

const isAddress = (domain: string): boolean => /^\d+\.\d+\.\d+\.\d+$|[:[\]]/.test(domain)

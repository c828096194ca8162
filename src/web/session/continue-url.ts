/**
 * The link's `continueUrl` (`wanted`), if it is allowed: anyone can write an address into a link.
 * `domains`: the provider's authorised domains; a name includes its subdomains, an IP address does not. Another port than that of
 * the protocol is part of a host. */
export function allowedContinueUrl(
  wanted: string | null,
  ownOrigin: string,
  domains: readonly string[],
): URL | null {
  const url = wanted === null ? null : URL.parse(wanted)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  // Credentials in a URL are there to mislead.
  if (url.username !== '' || url.password !== '') return null
  if (url.origin === ownOrigin) return url
  return domains.some((domain) => isWithin(url.host, domain.toLowerCase())) ? url : null
}

const isWithin = (host: string, domain: string): boolean =>
  host === domain || (!isAddress(domain) && domain !== '' && host.endsWith(`.${domain}`))

const isAddress = (domain: string): boolean => /^\d+\.\d+\.\d+\.\d+(:\d+)?$|[[\]]/.test(domain)

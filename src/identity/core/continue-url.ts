import type { Core, Refusal } from './core.ts'

/** Mailed links may continue to our own origin or authorized hosts only: prevents open redirects. */
export function readContinueUrl(core: Pick<Core, 'publicUrl' | 'rules'>, address: string): URL | Refusal {
  const url = URL.parse(address)
  const isWeb = url !== null && /^https?:\/\//i.test(address) && ['http:', 'https:'].includes(url.protocol)
  if (!isWeb || url.username !== '' || url.password !== '') return { refused: 'invalid_continue_uri' }
  const isOurs = url.origin === new URL(core.publicUrl).origin
  // A host includes the port, unless it is that of the protocol.
  const isAllowed = core.rules.authorizedDomains.some(
    (domain) => url.host === domain || url.host.endsWith(`.${domain}`),
  )
  return isOurs || isAllowed ? url : { refused: 'unauthorized_domain' }
}

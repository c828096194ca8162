import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'
import { z } from 'zod'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { UPLOADS_PATH } from '#contract/uploads.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import type { DoctorDeps, Found } from './check.ts'

export const REQUEST_MS = 8_000

/** null: no answer. Redirects are answers: platforms follow few or none. */
async function request(url: string, headers: Record<string, string> = {}): Promise<Response | null> {
  try {
    return await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS) })
  } catch {
    return null // the check says that there was no answer
  }
}

/** The time (epoch ms) that a server says in its Date header. null: no answer. */
export async function readDate(url: string): Promise<number | null> {
  const answer = await request(url)
  await answer?.body?.cancel()
  const at = Date.parse(answer?.headers.get('date') ?? '')
  return Number.isNaN(at) ? null : at
}

const isLocal = (url: string): boolean =>
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[)/.test(new URL(url).hostname)

const isLive = ({ config }: DoctorDeps): boolean =>
  PLATFORM_IDS.some((id) => config.platforms[id].mode === 'live')

export async function checkAddress(deps: DoctorDeps): Promise<Found[]> {
  const { publicUrl } = deps.config
  if (!publicUrl.startsWith('https:') && !isLocal(publicUrl))
    return [
      {
        severity: 'error',
        sentence: `${publicUrl} is not encrypted: passwords and videos can be read on their way.`,
        remedy: 'Put a proxy with a certificate in front, and set PUBLIC_URL to its https address.',
      },
    ]
  const answer = await request(`${publicUrl}${API_PREFIX}/settings`)
  const type = answer?.headers.get('content-type') ?? ''
  await answer?.body?.cancel()
  if (answer?.status === 200 && type.includes('json'))
    return [{ severity: 'ok', sentence: `Reelay answers at ${publicUrl}.`, remedy: null, link: null }]
  return [
    {
      severity: isLive(deps) ? 'error' : 'warning',
      sentence:
        answer === null
          ? `From this machine, nothing answers at ${publicUrl}.`
          : `Something else than Reelay answers at ${publicUrl} (${answer.status}).`,
      remedy:
        'See that the proxy passes every path on to Reelay, and that PUBLIC_URL is right. If only this machine cannot reach it, try from another.',
    },
  ]
}

export async function checkFromOutside({ config }: DoctorDeps): Promise<Found[]> {
  const tried = `${config.publicUrl}/healthz`
  if (isLocal(config.publicUrl))
    return [
      {
        severity: 'note',
        sentence: `${config.publicUrl} can be opened in your own network only, which is enough for practice.`,
        remedy: null,
        link: null,
      },
    ]
  if (config.publicUrlChecker === null)
    return [
      {
        severity: 'note',
        sentence: 'Only somebody outside of your network can tell if this server can be reached.',
        remedy: `Open ${tried} on a phone without Wi-Fi: it must show {"status":"ok"}. PUBLIC_URL_CHECKER names a service that tries it for you.`,
      },
    ]
  const checker = config.publicUrlChecker.replace(/\{url\}|%7Burl%7D/, encodeURIComponent(tried))
  const answer = await request(checker)
  await answer?.body?.cancel()
  if (answer?.ok === true)
    return [{ severity: 'ok', sentence: `${config.publicUrl} can be reached.`, remedy: null, link: null }]
  if (answer === null)
    return [
      {
        severity: 'warning',
        sentence: 'The service of PUBLIC_URL_CHECKER does not answer.',
        remedy: 'Try again later, or name another one.',
      },
    ]
  return [
    {
      severity: 'error',
      sentence: `${tried} cannot be reached from outside: the service of PUBLIC_URL_CHECKER answered ${answer.status}.`,
      remedy:
        'See that the name leads to this network, and that the router and the firewall let port 443 in.',
    },
  ]
}

const Refusal = z.object({ code: z.literal('not_found') })

/** Asks for a video that does not exist, as each platform that fetches videos would: only Reelay's own answer will do. */
export async function checkMedia(deps: DoctorDeps): Promise<Found[]> {
  const found: Found[] = []
  let tried = 0
  for (const id of PLATFORM_IDS) {
    const userAgent = PLATFORM_FACTS[id].fetcher
    if (userAgent === null || deps.config.platforms[id].mode === 'off') continue
    tried += 1
    const answer = await request(`${deps.config.publicUrl}/media/${'0'.repeat(43)}.mp4`, {
      'user-agent': userAgent,
    })
    const body: unknown = await answer?.json().catch(() => null)
    if (answer?.status === 404 && Refusal.safeParse(body).success) continue
    found.push({
      severity: deps.config.platforms[id].mode === 'live' ? 'error' : 'warning',
      sentence:
        answer === null
          ? `${PLATFORM_NAMES[id]} fetches videos at ${deps.config.publicUrl}/media, where nothing answers this machine.`
          : `${PLATFORM_NAMES[id]} fetches videos at ${deps.config.publicUrl}/media, but something in front of Reelay answers it (${answer.status}).`,
      remedy:
        'Take log-ins, bot checks, warning pages and redirects of the proxy off the path /media, for every user agent.',
    })
  }
  const fine =
    tried > 0 ? 'Platforms that fetch videos reach them.' : 'No platform that fetches videos is set up.'
  return found.length > 0 ? found : [{ severity: 'ok', sentence: fine, remedy: null, link: null }]
}

/** Announces the largest upload without sending it: Reelay refuses a stranger before the body, and a proxy that takes less says so. */
export async function checkBody({ config }: DoctorDeps): Promise<Found[]> {
  const status = await announce(`${config.publicUrl}${API_PREFIX}${UPLOADS_PATH}`, VIDEO_MAX_BYTES)
  if (status === 401)
    return [
      { severity: 'ok', sentence: 'Uploads of the largest size get through.', remedy: null, link: null },
    ]
  return [
    {
      severity: 'warning',
      sentence:
        status === null
          ? 'Whether large uploads get through could not be tried: nothing answers.'
          : `Something in front of Reelay answers large uploads (${status}).`,
      remedy:
        'Let the proxy accept bodies of 4 GB (nginx: client_max_body_size 4g) and pass them on at once.',
    },
  ]
}

/** @returns the status with which a body of this size is answered before it is sent. null: no answer */
function announce(address: string, bytes: number): Promise<number | null> {
  const send = address.startsWith('https:') ? https.request : http.request
  return new Promise((resolve) => {
    const call = send(address, {
      method: 'POST',
      headers: { 'content-length': bytes, 'content-type': 'application/offset+octet-stream' },
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    call.once('response', (answer) => {
      resolve(answer.statusCode ?? null)
      call.destroy()
    })
    call.once('error', () => resolve(null))
    call.flushHeaders()
  })
}

const DAY_MS = 86_400_000

export async function checkCertificate({ config }: DoctorDeps): Promise<Found[]> {
  if (!config.publicUrl.startsWith('https:')) return []
  const { hostname, port } = new URL(config.publicUrl)
  const seen = await readCertificate(hostname, Number(port) || 443)
  if (seen === null)
    return [
      {
        severity: 'warning',
        sentence: `No certificate is shown at ${config.publicUrl}.`,
        remedy: 'See that something with a certificate listens there.',
      },
    ]
  return [judgeCertificate(hostname, seen, Date.now())]
}

/** A certificate should have been renewed before a sixth of its life is left, whoever issued it. */
export function judgeCertificate(host: string, { from, to, refused }: Certificate, now: number): Found {
  const left = to - now
  const until = new Date(to).toISOString().slice(0, 10)
  if (left <= 0 || refused !== null)
    return {
      severity: 'error',
      sentence:
        left <= 0
          ? `The certificate of ${host} ended on ${until}.`
          : `Browsers refuse the certificate of ${host}: ${refused ?? ''}.`,
      remedy: 'Renew it, and let the proxy load the new one.',
    }
  const sentence = `The certificate of ${host} ends in ${Math.floor(left / DAY_MS)} days, on ${until}`
  if (left > (to - from) / 6) return { severity: 'ok', sentence: `${sentence}.`, remedy: null, link: null }
  return {
    severity: 'warning',
    sentence: `${sentence}, and was not renewed.`,
    remedy: 'See why the proxy, or certbot, does not renew it.',
  }
}

type Certificate = { readonly from: number; readonly to: number; readonly refused: string | null }

const readCertificate = (host: string, port: number): Promise<Certificate | null> =>
  new Promise((resolve) => {
    // A refused certificate is told too, with the reason.
    const socket = tls.connect({ host, port, servername: host, rejectUnauthorized: false }, () => {
      const { valid_from: from, valid_to: to } = socket.getPeerCertificate()
      const refused = socket.authorized ? null : String(socket.authorizationError)
      resolve({ from: Date.parse(from), to: Date.parse(to), refused })
      socket.destroy()
    })
    socket.setTimeout(REQUEST_MS, () => socket.destroy())
    socket.once('close', () => resolve(null))
    socket.once('error', () => resolve(null))
  })

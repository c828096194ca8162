import { z } from 'zod'
import { API_PREFIX } from '#contract/http/addresses.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'
import type { DoctorDeps, Found } from './checks.ts'

const REQUEST_MS = 8_000

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
  for (const id of PLATFORM_IDS) {
    const userAgent = PLATFORM_FACTS[id].fetcher
    if (userAgent === null || deps.config.platforms[id].mode === 'off') continue
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
  const fine = 'Platforms that fetch videos reach them.'
  return found.length > 0 ? found : [{ severity: 'ok', sentence: fine, remedy: null, link: null }]
}

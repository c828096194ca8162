import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { mediaType } from '../../kit/http/body.ts'
import { inspectVideo, type MediaFacts } from '../../kit/media.ts'
import { mayFetch } from './robots-txt.ts'
import type { Container, Fetched, Instagram } from '../state/state.ts'

const crawler = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'

const maxBytes = 300_000_000
const maxRedirects = 3
const videoTypes = ['video/mp4', 'video/quicktime']

/** Subcodes that a container's `status` names. */
const timedOut = 2207003
const notFetched = 2207052
const badFormat = 2207026
const badThumbOffset = 2207057

/** Meta's crawler: downloads the container's `video_url` and looks at the file, after the call was answered. */
export function fetchVideo(instagram: Instagram, container: Container): void {
  instagram.background.run(() => keepResult(instagram, container))
}

async function keepResult(instagram: Instagram, container: Container): Promise<void> {
  const fetched = await obtain(instagram, container)
  const current = instagram.containers.get(container.id)
  if (current !== undefined) instagram.containers.put(container.id, { ...current, fetched })
}

/** Takes up again what a restart interrupted. */
export function resumeFetching(instagram: Instagram): void {
  for (const container of instagram.containers.all()) {
    if (container.fetched.state === 'fetching') fetchVideo(instagram, container)
  }
}

async function obtain(instagram: Instagram, container: Container): Promise<Fetched> {
  const fault = instagram.faults.strike('instagram', 'fetch', container.username)
  if (fault?.fault === 'slow') await wait(fault.ms)
  if (fault?.fault === 'reset_midway') await download(instagram, container, 0.5)
  const result =
    fault?.fault === 'drop_before'
      ? { subcode: timedOut, detail: 'fault' }
      : await download(instagram, container, 1)
  instagram.calls.record({
    platform: 'instagram',
    call: 'fetch',
    account: container.username,
    status: 'status' in result ? result.status : null,
    ...(fault === null ? {} : { fault: fault.fault }),
    detail: 'detail' in result ? result.detail : `${result.bytes} bytes from ${container.video_url}`,
  })
  const refuse = async (subcode: number): Promise<Fetched> => {
    await instagram.media.discard(container.id)
    return { state: 'refused', subcode, at: instagram.clock.now() }
  }
  if ('subcode' in result) return refuse(result.subcode)
  const wrong = findFault(await inspectVideo(instagram.media.incoming(container.id)), container)
  if (wrong !== null) return refuse(wrong)
  await instagram.media.finish(container.id, result.sha256)
  return { state: 'ready', sha256: result.sha256, bytes: result.bytes, at: instagram.clock.now() }
}

interface Refused {
  subcode: number
  detail: string
  status?: number
}

interface Downloaded {
  sha256: string
  bytes: number
  status: number
}

/** Robots, `HEAD`, then `GET`. `share` below 1 hangs up before the end, as a scripted fault. */
async function download(
  instagram: Instagram,
  container: Container,
  share: number,
): Promise<Downloaded | Refused> {
  const { instagram_fetch_timeout_ms: timeoutMs, instagram_public_hosts_only: publicOnly } =
    instagram.settings.get()
  try {
    const head = await request(container.video_url, 'HEAD', timeoutMs, publicOnly)
    if ('subcode' in head) return head
    const get = await request(container.video_url, 'GET', timeoutMs, publicOnly)
    if ('subcode' in get) return get
    return await save(get, instagram.media.incoming(container.id), share, timeoutMs)
  } catch (error) {
    return { subcode: timedOut, detail: error instanceof Error ? reasonOf(error) : 'unreachable' }
  }
}

const reasonOf = (error: Error): string =>
  error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message

async function request(
  url: string,
  method: 'HEAD' | 'GET',
  timeoutMs: number,
  publicOnly: boolean,
): Promise<Response | Refused> {
  let address = new URL(url)
  if (publicOnly && !isPublic(address)) {
    return { subcode: notFetched, detail: `Not a public https address: ${address.href}` }
  }
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    if (!(await mayFetch(address, crawler, timeoutMs))) {
      return { subcode: notFetched, detail: `Restricted by robots.txt: ${address.href}` }
    }
    const response = await fetchOnce(address, method, timeoutMs)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) return checkHead(response)
    await response.body?.cancel()
    address = new URL(location, address)
  }
  return { subcode: notFetched, detail: 'Too many redirects' }
}

/** "localhost, RFC1918, .local fail". An IPv6 address in brackets fails, too. */
const isPublic = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' &&
  !/^(?:localhost|.*\.local|.*\.internal|\[.*\])$/i.test(hostname) &&
  !(ipaddr.IPv4.isValid(hostname) && ipaddr.parse(hostname).range() !== 'unicast')

/** The time limit is for the answer to begin; the body has its own, for standing still. */
async function fetchOnce(address: URL, method: string, timeoutMs: number): Promise<Response> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new Error('timed out')), timeoutMs)
  try {
    return await fetch(address, {
      method,
      redirect: 'manual',
      headers: { 'user-agent': crawler, accept: '*/*', 'accept-encoding': 'identity' },
      signal: abort.signal,
    })
  } finally {
    clearTimeout(timer)
  }
}

async function checkHead(response: Response): Promise<Response | Refused> {
  const type = mediaType(response.headers.get('content-type') ?? '')
  const bytes = Number(response.headers.get('content-length') ?? '0')
  const refuse = async (subcode: number, detail: string): Promise<Refused> => {
    await response.body?.cancel()
    return { subcode, detail, status: response.status }
  }
  if (!response.ok) return refuse(notFetched, `HTTP error code ${response.status}`)
  if (!videoTypes.includes(type)) return refuse(notFetched, `Content-Type ${type} is no video`)
  if (response.headers.has('content-encoding')) return refuse(notFetched, 'Content-Encoding is not allowed')
  if (bytes > maxBytes) return refuse(badFormat, `${bytes} bytes are too many`)
  return response
}

async function save(
  response: Response,
  path: string,
  share: number,
  timeoutMs: number,
): Promise<Downloaded | Refused> {
  const promised = Number(response.headers.get('content-length') ?? '0')
  const hash = createHash('sha256')
  const file = await open(path, 'w', 0o600)
  let bytes = 0
  try {
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader()
    for (;;) {
      const next = await withinTime(reader?.read(), timeoutMs)
      if (next?.value === undefined) break
      bytes += next.value.byteLength
      if (bytes > maxBytes || (share < 1 && bytes >= promised * share)) {
        await reader?.cancel()
        return { subcode: badFormat, detail: `hung up after ${bytes} bytes`, status: response.status }
      }
      hash.update(next.value)
      await file.write(next.value)
    }
  } finally {
    await file.close()
  }
  return { sha256: hash.digest('hex'), bytes, status: response.status }
}

async function withinTime<T>(work: Promise<T> | undefined, ms: number): Promise<T | undefined> {
  const abort = new AbortController()
  try {
    const late = wait(ms, undefined, { signal: abort.signal }).then(() => {
      throw new Error('timed out')
    })
    // When the work wins the race, the abandoned wait is aborted; nobody listens to that.
    late.catch(() => undefined)
    return await Promise.race([work, late])
  } finally {
    abort.abort()
  }
}

/** "MOV or MP4, moov atom at the front, HEVC or H264, 23-60 fps, max 1920 horizontal pixels, 3 s-15 min" */
function findFault(facts: MediaFacts | null, container: Container): number | null {
  if (facts === null || !['mp4', 'mov'].includes(facts.container) || !facts.moovFirst) return badFormat
  if (facts.codec !== 'avc' && facts.codec !== 'hevc') return badFormat
  if (facts.duration < 3 || facts.duration > 900 || facts.width > 1920) return badFormat
  // 23.976 counts as 23; rounding in a file's index must not make 60 fps fail.
  if (facts.framesPerSecond < 22.9 || facts.framesPerSecond > 60.5) return badFormat
  return container.options.thumb_offset >= facts.duration * 1000 ? badThumbOffset : null
}

import { setTimeout as wait } from 'node:timers/promises'
import { inspectVideo, type MediaFacts } from '../../kit/inspection/inspect-video.ts'
import type { Container, FetchResult, Instagram } from '../state/state.ts'
import { fetchCover } from './cover.ts'
import { saveBody } from '../../kit/send.ts'
import {
  contentLength,
  notFetched,
  errorText,
  request,
  timedOut,
  type FetchRefusal,
  type FetchRules,
} from './request.ts'

/** A container's `status` names these subcodes too. */
const badFormat = 2207026
const badThumbOffset = 2207057

const video: FetchRules = {
  types: ['video/mp4', 'video/quicktime'],
  otherType: notFetched,
  maxBytes: 300_000_000,
  tooLarge: badFormat,
}

/** Meta's crawler: downloads the container's `video_url` and inspects the file after the call was answered. */
export function fetchVideo(instagram: Instagram, container: Container): void {
  instagram.background.run(() => keepResult(instagram, container))
}

async function keepResult(instagram: Instagram, container: Container): Promise<void> {
  const fetched = await obtain(instagram, container)
  const current = instagram.containers.get(container.id)
  if (current !== undefined) instagram.containers.put(container.id, { ...current, fetched })
}

export function resumeFetching(instagram: Instagram): void {
  for (const container of instagram.containers.all()) {
    if (container.fetched.state === 'fetching') fetchVideo(instagram, container)
  }
}

async function obtain(instagram: Instagram, container: Container): Promise<FetchResult> {
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
  const refuse = async (subcode: number): Promise<FetchResult> => {
    await instagram.media.discard(container.id)
    return { state: 'refused', subcode, at: instagram.clock.now() }
  }
  if ('subcode' in result) return refuse(result.subcode)
  const wrong = findFault(await inspectVideo(instagram.media.incoming(container.id)), container)
  if (wrong !== null) return refuse(wrong)
  const cover = await fetchCover(instagram, container)
  if (cover !== null && 'subcode' in cover) return refuse(cover.subcode)
  await instagram.media.finish(container.id, result.sha256)
  const { sha256, bytes } = result
  return { state: 'ready', sha256, bytes, cover_sha256: cover?.sha256 ?? null, at: instagram.clock.now() }
}

interface Download {
  sha256: string
  bytes: number
  status: number
}

/** Robots, `HEAD`, then `GET`. `share` below 1 hangs up before the end, as a scripted fault. */
async function download(
  instagram: Instagram,
  container: Container,
  share: number,
): Promise<Download | FetchRefusal> {
  const { instagram_fetch_timeout_ms: timeoutMs } = instagram.settings.get()
  try {
    const head = await request(container.video_url, 'HEAD', video, timeoutMs)
    if ('subcode' in head) return head
    head.body.resume()
    const get = await request(container.video_url, 'GET', video, timeoutMs)
    if ('subcode' in get) return get
    const { status } = get
    const hangUpAt = share < 1 ? contentLength(get) * share : Infinity
    const file = instagram.media.incoming(container.id)
    const { sha256, bytes } = await saveBody(get, file, (size) => size > video.maxBytes || size >= hangUpAt)
    if (sha256 === null) return { subcode: badFormat, detail: `hung up after ${bytes} bytes`, status }
    return { sha256, bytes, status }
  } catch (error) {
    return { subcode: timedOut, detail: errorText(error) }
  }
}

/**
 * "MOV or MP4, moov atom at the front, HEVC or H264, progressive, 4:2:0, 23-60 fps, max 1920 horizontal pixels, 25 Mbps
 * maximum, 1 or 2 channels, 48 kHz maximum, 3 s-15 min". We assume that each violation ends the container.
 */
function findFault(facts: MediaFacts | null, container: Container): number | null {
  if (facts === null || !['mp4', 'mov'].includes(facts.container) || !facts.moovFirst) return badFormat
  if (facts.codec !== 'avc' && facts.codec !== 'hevc') return badFormat
  if (!facts.plainPictures || facts.bitsPerSecond > 25_000_000) return badFormat
  if (facts.channels > 2 || facts.audioRate > 48_000) return badFormat
  if (facts.duration < 3 || facts.duration > 900 || facts.width > 1920) return badFormat
  // 23.976 counts as 23; rounding in a file's index must not make 60 fps fail.
  if (facts.framesPerSecond < 22.9 || facts.framesPerSecond > 60.5) return badFormat
  if (container.options.cover_url !== null) return null
  return container.options.thumb_offset >= facts.duration * 1000 ? badThumbOffset : null
}

import { canDecodeVideo, canEncodeAudio, canEncodeVideo, Quality } from 'mediabunny'
import type { VideoFacts } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { megabytes, tellApart } from '#domain/video-check/figures.ts'
import { formatLabel } from '#domain/video-check/post-check.ts'
import { roomOnDisk } from './fixed-files.ts'

/** So much is converted in memory where the browser offers no disk space. */
const MEMORY_MAX_BYTES = 500_000_000

/** Why this browser cannot carry out the plan, and what to do instead; null: it can. */
export async function findObstacle(plan: FixPlan, facts: VideoFacts): Promise<string | null> {
  const reason = plan.movesIndexOnly
    ? null
    : (missingCodec(plan) ?? (await unsupported(plan, facts)) ?? (await noRoom(plan)))
  return reason === null ? null : `${reason} ${insteadOf(plan)}`
}

/** The findings' own remedies, such as "Export it as H.264." */
function insteadOf({ solved }: FixPlan): string {
  const refused = solved.filter(({ level }) => level === 'error')
  const remedies = (refused.length > 0 ? refused : solved).map(({ remedy }) => remedy)
  return `Or use a video editor: ${[...new Set(remedies)].join(' ')}`
}

function missingCodec({ video, audio }: FixPlan): string | null {
  if (video === null && audio === null) return null
  if ('VideoEncoder' in globalThis && 'VideoDecoder' in globalThis && 'AudioDecoder' in globalThis)
    return null
  return globalThis.isSecureContext
    ? "This browser can't convert videos; a current Chrome, Edge, Firefox or Safari can."
    : 'Browsers convert videos only on pages with an https address, and this page has none.'
}

async function unsupported({ video, audio }: FixPlan, facts: VideoFacts): Promise<string | null> {
  if (video !== null) {
    const codec = facts.video_codec
    const isReadable = isVideoCodec(codec) && (await canDecodeVideo(codec))
    if (!isReadable)
      return `This browser can't read ${formatLabel(codec ?? 'this')} video. Another browser may.`
    const quality = new Quality({ bitrate: video.bitsPerSecond })
    const { width, height } = video
    if (!(await canEncodeVideo('avc', { width, height, quality })))
      return `This browser can't make H.264 video of ${width} × ${height} pixels. Another browser may.`
  }
  if (audio !== null && !(await loadAacEncoder(audio)))
    return "This browser can't make AAC sound. Another browser may."
  return null
}

const VIDEO_CODECS = ['avc', 'hevc', 'vp8', 'vp9', 'av1', 'prores'] as const
const isVideoCodec = (codec: string | null): codec is (typeof VIDEO_CODECS)[number] =>
  VIDEO_CODECS.some((known) => known === codec)

/** Firefox and Chromium on Linux have no encoder of their own: then one in WebAssembly is loaded (1 MB). */
export async function loadAacEncoder({
  rateHz,
  bitsPerSecond,
}: NonNullable<FixPlan['audio']>): Promise<boolean> {
  const options = {
    numberOfChannels: 2,
    sampleRate: rateHz,
    quality: new Quality({ bitrate: bitsPerSecond }),
  }
  if (await canEncodeAudio('aac', options)) return true
  if (!('WebAssembly' in globalThis) || !('Worker' in globalThis)) return false
  const { registerAacEncoder } = await import('@mediabunny/aac-encoder')
  registerAacEncoder()
  return canEncodeAudio('aac', options)
}

async function noRoom({ size }: FixPlan): Promise<string | null> {
  const room = await roomOnDisk()
  if (size <= (room ?? MEMORY_MAX_BYTES)) return null
  if (room === null)
    return `This browser offers the page no disk space, and ${megabytes(size)} are too much for its memory.`
  const { figure, limit } = tellApart(size, room, megabytes)
  return `The converted file has about ${figure}, and this browser has room for ${limit}. Free some disk space.`
}

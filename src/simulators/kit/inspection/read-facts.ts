import { open } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type * as Mediabunny from 'mediabunny'

// As one file it loads in half the time and a third of the memory of its modules.
const library = createRequire(import.meta.url)('mediabunny') as typeof Mediabunny
const { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input, MP4, QTFF, QuickTimeInputFormat, WEBM } =
  library

parentPort?.on('message', (path: string) => void answer(path))

async function answer(path: string): Promise<void> {
  // A file that was deleted meanwhile is no video either.
  const facts = await readFacts(path).catch(() => null)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no target origin
  parentPort?.postMessage(facts)
}

/** The findings of a platform's own inspection. Lengths are seconds and displayed pixels. */
export interface MediaFacts {
  container: 'mp4' | 'mov' | 'webm' | 'other'
  /** mediabunny's short name (`avc`, `hevc`, `vp8`, ...), or null for an unknown one. */
  codec: string | null
  duration: number
  framesPerSecond: number
  width: number
  height: number
  /** The index stands before the media, so that playback can start during the download. */
  moovFirst: boolean
  bitsPerSecond: number
  /** The pictures are 4:2:0 and progressive, as far as their profile tells. */
  plainPictures: boolean
  channels: number
  audioRate: number
}

/** Old QuickTime files have no `ftyp`, and the library recognises files by their brand only. */
class OldQuickTime extends QuickTimeInputFormat {
  async _canReadInput(): Promise<boolean> {
    return true
  }
}

async function readFacts(path: string): Promise<MediaFacts | null> {
  const boxes = await outerBoxes(path)
  const isOld = boxes[0] !== 'ftyp' && boxes.includes('moov')
  const input = new Input({
    source: new FilePathSource(path),
    formats: isOld ? [new OldQuickTime()] : ALL_FORMATS,
  })
  try {
    const format = await input.getFormat()
    const track = await input.getPrimaryVideoTrack()
    if (track === null || !(await isWhole(track))) return null
    const sound = await input.getPrimaryAudioTrack()
    // Tables list every frame; in other formats each costs a read.
    const stats = await track.computePacketStats(boxes.includes('moov') ? Infinity : 20_000)
    return {
      container:
        format === MP4 ? 'mp4' : format === QTFF || isOld ? 'mov' : format === WEBM ? 'webm' : 'other',
      codec: await track.getCodec(),
      duration: await input.computeDuration(),
      framesPerSecond: stats.averagePacketRate,
      width: await track.getDisplayWidth(),
      height: await track.getDisplayHeight(),
      moovFirst: boxes.includes('moov') && !boxes.slice(0, boxes.indexOf('moov')).includes('mdat'),
      bitsPerSecond: stats.averageBitrate,
      plainPictures: hasPlainProfile((await track.getCodecParameterString()) ?? ''),
      channels: sound === null ? 0 : await sound.getNumberOfChannels(),
      audioRate: sound === null ? 0 : await sound.getSampleRate(),
    }
  } catch {
    // Whatever fails in mediabunny, the platform's verdict is the same: not a video.
    return null
  } finally {
    input.dispose()
  }
}

const looks = 20

/** Samples frames from the whole file, the last among them: all must exist and be frames. */
async function isWhole(track: Mediabunny.InputVideoTrack): Promise<boolean> {
  const sink = new EncodedPacketSink(track)
  const last = await sink.getPacket(Infinity, { metadataOnly: true })
  if (last === null) return false
  const end = last.timestamp + last.duration
  const promised = (await track.getDurationFromMetadata()) ?? end
  if (end < promised * 0.9 - 1) return false
  const config = await track.getDecoderConfig()
  for (let look = 0; look <= looks; look += 1) {
    const packet = await sink.getPacket((last.timestamp * look) / looks)
    if (packet !== null && isFrame(packet.data, config)) continue
    // The pictures may begin later than the file.
    if (look === 0 && packet === null && (await sink.getFirstPacket()) !== null) continue
    return false
  }
  return true
}

function isFrame(data: Uint8Array, config: VideoDecoderConfig | null): boolean {
  const codec = config?.codec ?? ''
  const [first = 0, second = 0] = data
  if (codec.startsWith('vp09')) return first >> 6 === 2
  if (codec.startsWith('vp8') && (first & 1) === 0)
    return data[3] === 0x9d && data[4] === 1 && data[5] === 0x2a
  // Behind a four-byte length, as in nearly all files, or behind start codes.
  const isStartCode = first === 0 && second === 0 && (data[2] === 1 || (data[2] === 0 && data[3] === 1))
  if (!/^(?:avc|hvc|hev)/.test(codec) || config?.description === undefined || isStartCode)
    return data.some((byte) => byte !== 0)
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let at = 0
  while (at + 4 <= data.length) at += 4 + view.getUint32(at)
  return at === data.length
}

/** Judged by the profile in the codec's name: High 4:2:2 and 4:4:4 of H.264, range extensions and interlaced sources of H.265. */
function hasPlainProfile(codec: string): boolean {
  if (/^avc[13]\.(?:7a|f4|2c)/i.test(codec)) return false
  const [, profile, constraint = 'b0'] =
    /^h(?:vc|ev)1\.[A-C]?(\d+)\.[^.]+\.[^.]+(?:\.([0-9a-f]{1,2}))?/i.exec(codec) ?? []
  return profile !== '4' && (Number.parseInt(constraint, 16) & 0xc0) !== 0x40
}

/** The names of the top-level boxes of an ISO base media file; meaningless for other formats. */
async function outerBoxes(path: string): Promise<string[]> {
  const file = await open(path)
  const names: string[] = []
  try {
    const head = Buffer.alloc(16)
    for (let at = 0; names.length < 10_000;) {
      const { bytesRead } = await file.read(head, 0, 16, at)
      if (bytesRead < 8) break
      names.push(head.toString('latin1', 4, 8))
      const short = head.readUInt32BE(0)
      const size = short === 1 && bytesRead === 16 ? Number(head.readBigUInt64BE(8)) : short
      if (size < 8) break
      at += size
    }
    return names
  } finally {
    await file.close()
  }
}

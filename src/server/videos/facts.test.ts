import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { BufferSource, Input } from 'mediabunny'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { VideoFacts } from '#contract/videos.ts'
import { UNKNOWN_FACTS } from '#domain/video-check/unknown-facts.ts'
import { readVideoFacts, VIDEO_FORMATS } from '#domain/video-check/video-facts.ts'
import { busyWebm } from '#test/support/webm.ts'
import { createFactsReader, readFacts, timeFor } from './facts.ts'

const fixture = (name: string) => readFile(new URL(`../../../test/fixtures/${name}`, import.meta.url))

const factsOf = (file: Uint8Array) =>
  readFacts(async (first, last) => file.subarray(first, last + 1), file.length)

/** The container that the parser tells in this process; one that throws there has ended its own elsewhere. */
const parse = async (file: Buffer): Promise<string> => {
  const input = new Input({ source: new BufferSource(file), formats: VIDEO_FORMATS })
  const facts = await readVideoFacts(
    input,
    async (from, to) => file.subarray(from, to + 1),
    file.length,
  ).catch(() => UNKNOWN_FACTS)
  return VideoFacts.safeParse(facts).data?.container ?? UNKNOWN_FACTS.container
}

describe('what is read from a file', () => {
  it('an upright MP4 with its index first', async () => {
    expect(await factsOf(await fixture('good.mp4'))).toEqual({
      container: 'mp4',
      video_codec: 'avc',
      audio_codec: 'aac',
      audio_rate_hz: 48000,
      audio_channels: 1,
      audio_bit_rate: 32_475,
      video_bit_rate: 255_274,
      duration_s: 4,
      fps: 30,
      fps_is_estimate: false,
      width: 720,
      height: 1280,
      rotation: 0,
      chroma: '4:2:0',
      scan: 'progressive',
      has_edits: false,
      index_first: true,
      integrity: 'complete',
    })
  })

  it('the same with its index last', async () => {
    expect(await factsOf(await fixture('moov-last.mp4'))).toMatchObject({
      container: 'mp4',
      index_first: false,
    })
  })

  it('a QuickTime file that is turned upright when shown', async () => {
    expect(await factsOf(await fixture('rotated.mov'))).toMatchObject({
      container: 'mov',
      audio_codec: null,
      fps: 24,
      width: 360,
      height: 640,
      rotation: 270,
      index_first: false,
    })
  })

  it('a WebM file, which has no such index', async () => {
    expect(await factsOf(await fixture('vp9.webm'))).toMatchObject({
      container: 'webm',
      video_codec: 'vp9',
      audio_codec: 'opus',
      fps: 30,
      width: 360,
      height: 640,
      index_first: null,
    })
  })
})

describe('what is no video', () => {
  it('is unknown, whatever it holds', async () => {
    for (const file of [Buffer.from('x'), randomBytes(20_000), Buffer.from('<html>not a video</html>')]) {
      expect(await factsOf(file)).toMatchObject({ container: 'unknown', video_codec: null, duration_s: 0 })
    }
  })

  it('a playlist is not followed', async () => {
    const playlist =
      '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:9/secret.ts\n#EXT-X-ENDLIST\n'
    expect(await factsOf(Buffer.from(playlist))).toMatchObject({ container: 'unknown' })
  })

  it('a video cut short anywhere is described or unknown, never a failure', async () => {
    const good = await fixture('good.mp4')
    for (const length of [7, 8, 40, 500, 2_000, 5_000, good.length >> 1, good.length - 1]) {
      expect(await factsOf(good.subarray(0, length))).toHaveProperty('container')
    }
  })

  it('a video with bytes changed at random is described or unknown, never a failure', async () => {
    for (const name of ['good.mp4', 'vp9.webm']) {
      const file = await fixture(name)
      const outcomes = new Set<string>()
      for (let seed = 11; seed <= 40; seed++) {
        const spoilt = spoiled(file, seed)
        const outcome = await parse(spoilt)
        // A process for the first of each outcome: what another one does there is no different.
        if (!outcomes.has(outcome)) expect((await factsOf(spoilt)).container).toBe(outcome)
        outcomes.add(outcome)
      }
      expect(outcomes).toContain('unknown')
    }
  })

  it('a table that claims gigabytes costs a bounded read', async () => {
    const size = 4_000_000_000
    const head = Buffer.concat([box('ftyp', 16), box('moov', size - 16)])
    let read = 0
    const facts = await readFacts(async (first, last) => {
      read += last - first + 1
      const bytes = Buffer.alloc(last - first + 1)
      if (first < head.length) head.copy(bytes, 0, first)
      return bytes
    }, size)
    expect(facts.container).toBe('unknown')
    expect(read).toBeLessThan(200_000_000)
  })
})

/** Two thousand million frames in sixteen bytes: refused without the parser. */
async function impossible(): Promise<Buffer> {
  const file = await fixture('good.mp4')
  file.writeUInt32BE(0x7fff_ffff, file.indexOf('stts', 0, 'latin1') + 12)
  return file
}

it('a file that claims two thousand million frames in sixteen bytes is unknown', async () => {
  expect(await factsOf(await impossible())).toMatchObject({ container: 'unknown' })
})

it('a short file has little time, and a long table as much as it needs', () => {
  expect([0, 60_000, 10_000_000, 128_000_000].map((bytes) => Math.round(timeFor(bytes) / 1000))).toEqual([
    2, 2, 4, 20,
  ])
})

// Elsewhere no file tells the CPU time of a process, and time itself counts.
describe.runIf(process.platform === 'linux')('on a machine or storage that is slow', () => {
  afterEach(() => vi.useRealTimers())

  it('a good video is read, whatever time passes', async () => {
    const file = await fixture('good.mp4')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const facts = await readFacts(async (first, last) => {
      vi.advanceTimersByTime(4_000)
      return file.subarray(first, last + 1)
    }, file.length)
    expect(facts).toMatchObject({ container: 'mp4' })
  })

  it('the user is asked to wait after two minutes, and the video is not called unreadable', async () => {
    const file = await fixture('good.mp4')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const facts = readFacts(async (first, last) => {
      // Once the other process asks, whose time is limited.
      if (vi.getTimerCount() > 0) vi.advanceTimersByTime(120_000)
      return file.subarray(first, last + 1)
    }, file.length)
    await expect(facts).rejects.toMatchObject({ code: 'unavailable', retryAfterS: 30 })
  })
})

const asker = (userId: number, ip = '192.0.2.1', gone = new AbortController().signal) => ({
  userId,
  ip,
  gone,
})

it('new accounts of one network delay neither users with videos nor those of other networks', async () => {
  const file = await impossible()
  const begin = Promise.withResolvers<void>()
  const order = new Set<string>()
  const reader = createFactsReader(
    {
      read: async (key, first, last) => {
        order.add(key)
        await begin.promise
        return Readable.from([file.subarray(first, last + 1)])
      },
    },
    async (userId) => userId === 30,
  )
  const read = (userId: number, key: string, ip: string) =>
    reader.readStored(asker(userId, ip), { key, size: file.length })
  const reads = [
    ...[1, 2, 3, 4].map((id) => read(id, `new account ${id}`, '192.0.2.1')),
    read(20, 'of another network', '198.51.100.1'),
    read(30, 'with a video', '192.0.2.1'),
  ]
  await new Promise(setImmediate)
  begin.resolve()
  await Promise.all(reads)
  expect([...order]).toEqual([
    'new account 1',
    'with a video',
    'new account 2',
    'of another network',
    'new account 3',
    'new account 4',
  ])
})

it('a file that keeps its reader busy delays only others like it, until its client goes', async () => {
  const [good, busy] = [await fixture('good.mp4'), busyWebm()]
  const slowly = Promise.withResolvers<void>()
  let looks = 0
  const reader = createFactsReader(
    {
      read: async (key, first, last) => {
        const isBusy = key === 'busy'
        if (isBusy && first === 0 && last > 10_000) looks += 1
        // The second reader waits for what it asks for at length.
        if (isBusy && looks === 2) {
          slowly.resolve()
          await new Promise(() => {})
        }
        return Readable.from([(isBusy ? busy : good).subarray(first, last + 1)])
      },
    },
    async () => false,
  )
  const leaving = new AbortController()
  const long = reader.readStored(asker(1, '192.0.2.1', leaving.signal), { key: 'busy', size: busy.length })
  const given = expect(long).rejects.toMatchObject({ code: 'too_many_requests', retryAfterS: 30 })
  await slowly.promise
  const size = good.length
  expect(await reader.readStored(asker(2), { key: 'good', size })).toMatchObject({ container: 'mp4' })
  leaving.abort()
  await given
  // With the readers of long files, as all files of this user now.
  expect(await reader.readStored(asker(1), { key: 'good', size })).toMatchObject({ container: 'mp4' })
})

it('a file that keeps its reader busy for seconds is unknown', async () => {
  expect(await factsOf(busyWebm())).toMatchObject({ container: 'unknown' })
})

it("a phone's video is read in few pieces, since each waits for a busy machine", async () => {
  const video = await fixture('good.mp4')
  let pieces = 0
  const read = async (_key: string, first: number, last: number) => {
    pieces += 1
    return Readable.from([video.subarray(first, last + 1)])
  }
  const reader = createFactsReader({ read }, async () => true)
  const facts = await reader.readStored(asker(1), { key: 'good', size: video.length })
  expect(facts).toEqual(await factsOf(video))
  expect(pieces).toBeLessThan(30)
})

it('a failure of the storage is not taken for a bad video', async () => {
  const facts = readFacts(() => Promise.reject(new Error('the disk is gone')), 1000)
  await expect(facts).rejects.toThrow('the disk is gone')
})

function box(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.write('isom', 8, 'latin1')
  return bytes
}

/** The same file with a hundred of its first bytes changed: a small generator keeps a failing seed repeatable. */
function spoiled(file: Buffer, seed: number): Buffer {
  const copy = Buffer.from(file)
  let state = seed
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
  for (let i = 0; i < 100; i++) copy[next() % Math.min(8_000, file.length)] = next() % 256
  return copy
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a reader ended by %s says nothing of its file',
  async (signal) => {
    const file = await fixture('good.mp4')
    // The file is looked at here first; the reader is there from a later question on.
    const killing = async (first: number, last: number) => {
      if (process.getActiveResourcesInfo().includes('ProcessWrap'))
        spawnSync('pkill', [`-${signal}`, '-P', String(process.pid), '-f', 'facts-reader'])
      return Promise.resolve(file.subarray(first, last + 1))
    }
    await expect(readFacts(killing, file.length)).rejects.toMatchObject({ code: 'unavailable' })
  },
)

it.runIf(process.platform === 'linux')('a reader whose server is killed has an end', async () => {
  const file = await fixture('good.mp4')
  const limits = new Set<string | undefined>()
  await readFacts(async (first, last) => {
    const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', 'facts-reader'])
    const [reader] = stdout.toString().split('\n')
    if (reader) limits.add(/Max cpu time +(\w+)/.exec(await readFile(`/proc/${reader}/limits`, 'utf8'))?.[1])
    return file.subarray(first, last + 1)
  }, file.length)
  expect([...limits]).toEqual(['30'])
})

/**
 * Memory of everything that `npm start` runs, as proportional set size: idle, with and without practice platforms, and under event
 * streams, uploads and sends. `npm run bench -- memory [turns] [seconds until it counts as idle]`
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformId } from '#contract/platforms/index.ts'
import { delivered, postInstagram, postTikTok } from '../../support/publish.ts'
import { sampleVideo } from '../../support/sample.ts'
import { control, linkAccount, type Person, signUp } from '../../support/test-server.ts'
import { makePlace, removePlace, startIn, type Place } from './npm-start.ts'
import { meanMemory, memoryOf, SAMPLED_S, sumOf } from '../processes.ts'
import { type Measurement, report } from '../report.ts'

const PROMISE_MB = { off: 180, on: 250 }
/** What the server may add under load: as much as one upload. */
const FLAT_MB = 64
const SETTLED_MB = 20
const ALL = 'all'
const USERS = 10
const STREAMS = 10
const VIDEO_BYTES = 20_000_000
const turns = Number(process.argv[2] ?? 3)
const idleS = Number(process.argv[3] ?? 60)

type Figures = Map<string, number[]>
const idle: Record<'off' | 'on', Figures> = { off: new Map(), on: new Map() }
const busy: Figures = new Map()

for (let i = 0; i < turns; i++)
  for (const practice of ['off', 'on'] as const) {
    const place = await makePlace(practice === 'off' ? 'off' : undefined)
    try {
      await (await startIn(place, ['npm', 'start'])).stop() // makes the database and fills the caches
      await measure(place, practice)
    } finally {
      await removePlace(place)
    }
  }
report({
  name: 'memory',
  about: `All processes of \`npm start\`, proportional set size, ${turns} turns, the mean of ${SAMPLED_S} s: idle ${idleS} s after a second start, without and with practice platforms; then ${USERS * STREAMS} event streams and ${USERS * 2} forms of ${VIDEO_BYTES / 1e6} MB at once until they are published. "60 s later" is the mean from 60 to ${60 + SAMPLED_S} s.`,
  rows: [...rowsOf('off', 'practice platforms off'), ...rowsOf('on', 'practice platforms on'), ...busyRows()],
})

async function measure(place: Place, practice: 'off' | 'on'): Promise<void> {
  const started = await startIn(place, ['npm', 'start'])
  try {
    await sleep(idleS * 1000)
    const parts = await meanMemory(() => memoryOf(started.pid))
    if (!parts.has('server')) throw new Error('None of the processes is known as the server.')
    for (const [part, mb] of parts) add(idle[practice], part, mb)
    add(idle[practice], ALL, sumOf(parts))
    if (practice === 'off') return
    const peak = await peakWhile(started.pid, () => load(place))
    await sleep(60_000)
    const later = await meanMemory(() => memoryOf(started.pid))
    for (const part of [...peak.keys(), ALL]) {
      const [was, most, is] = [parts, peak, later].map((of) =>
        part === ALL ? sumOf(of) : (of.get(part) ?? 0),
      )
      add(busy, `under load: ${part}`, (most ?? 0) - (was ?? 0))
      add(busy, `60 s later: ${part}`, (is ?? 0) - (was ?? 0))
    }
  } finally {
    await started.stop()
  }
}

/** The parts at the moment at which they took the most together. */
async function peakWhile(pid: number, work: () => Promise<void>): Promise<Map<string, number>> {
  let peak = new Map<string, number>()
  const working = new AbortController()
  const watch = async () => {
    while (!working.signal.aborted) {
      const parts = memoryOf(pid)
      if (sumOf(parts) > sumOf(peak)) peak = parts
      await sleep(200)
    }
  }
  const watching = watch()
  try {
    await work()
  } finally {
    working.abort()
    await watching
  }
  return peak
}

async function load({ port, practicePort }: Place): Promise<void> {
  // Only what they keep matters here, not how long their own work takes.
  const settings = { tiktok_processing_ms: 300, tiktok_moderation_ms: 300, instagram_processing_ms: 300 }
  await control(`http://localhost:${practicePort}`, 'POST', '/_control/settings', settings)
  const users: User[] = []
  for (let i = 0; i < USERS; i++) users.push(await makeUser(port, i))
  const listening = new AbortController()
  const streams = await Promise.all(
    users.flatMap(({ someone }) =>
      Array.from({ length: STREAMS }, () => someone.request('/events', { signal: listening.signal })),
    ),
  )
  if (streams.some(({ ok }) => !ok)) throw new Error('An event stream was refused.')
  const reading = Promise.allSettled(streams.map((stream) => stream.text()))
  await Promise.all(
    users.flatMap(({ someone, tiktok, instagram }) => [
      postTikTok(someone, tiktok, sampleVideo(VIDEO_BYTES)).then((post) =>
        delivered(someone, post, ['published']),
      ),
      postInstagram(someone, instagram, sampleVideo(VIDEO_BYTES)).then((post) =>
        delivered(someone, post, ['published']),
      ),
    ]),
  )
  listening.abort()
  await reading
}

type User = { readonly someone: Person; readonly tiktok: number; readonly instagram: number }

async function makeUser(port: number, i: number): Promise<User> {
  const someone = await signUp({ url: `http://localhost:${port}` }, `Bench${i}`)
  const { brand_id: brandId } = await someone.call('createBrand', { body: { title: 'Bench' } })
  const link = async (platform: PlatformId) => (await linkAccount(someone, { platform, brandId })).account_id
  return { someone, tiktok: await link('tiktok'), instagram: await link('instagram') }
}

function add(figures: Figures, what: string, mb: number): void {
  figures.set(what, [...(figures.get(what) ?? []), mb])
}

function rowsOf(practice: 'off' | 'on', title: string): Measurement[] {
  return [...idle[practice]].map(([part, ours]) => ({
    what: `${title}: ${part}`,
    unit: 'MB',
    ours,
    ...(part === ALL && { promise: { atMost: PROMISE_MB[practice] } }),
  }))
}

function busyRows(): Measurement[] {
  return [...busy].map(([what, ours]) => ({ what, unit: 'MB', ours, ...promiseOf(what) }))
}

function promiseOf(what: string) {
  if (what === 'under load: server') return { promise: { atMost: FLAT_MB } }
  return what === `60 s later: ${ALL}` ? { promise: { atMost: SETTLED_MB } } : {}
}

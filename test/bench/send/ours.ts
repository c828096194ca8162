// Sends as the worker does: TikTok's adapter with the measured storage. Folder, key, bytes and port are given.
import { createPlatforms } from '#platforms/registry.ts'
import { createBandwidthMeter } from '#server/deliveries/claim/bandwidth.ts'
import { readConfig } from '#server/runtime/config.ts'
import { openDisk } from '#server/storage/disk.ts'
import { PART_BYTES, tellCost } from './sent.ts'

const [dir = '', key = '', size = '', port = ''] = process.argv.slice(2)
const bytes = Number(size)
const { tiktok } = createPlatforms(readConfig({ PRACTICE: 'on' }).platforms, Date.now)
if (tiktok === null) throw new Error('TikTok is off.')
const storage = createBandwidthMeter().measure(await openDisk(dir), () => {})
const session = {
  publishId: 'bench',
  username: 'bench',
  uploadUrl: `http://127.0.0.1:${port}/`,
  expiresAt: Date.now() + 3_600_000,
  size: bytes,
  chunkSize: PART_BYTES,
  count: Math.floor(bytes / PART_BYTES),
  next: 0,
  contested: false,
  taken: false,
}
const job = {
  account: { accessToken: '', externalId: '', username: 'bench' },
  text: '',
  options: {},
  video: {
    size: bytes,
    mime: 'video/mp4',
    durationS: 10,
    read: (first: number, last: number) => storage.read(key, first, last),
    address: async () => '',
  },
  pictureAddress: async () => null,
  siblings: async () => ({ postIds: [], unknown: [] }),
  signal: new AbortController().signal,
}
await tellCost(async () => {
  const sent = await tiktok.send(job, session, async () => {})
  if (sent.kind !== 'ready') throw new Error(`Not sent: ${JSON.stringify(sent)}`)
  const committed = await tiktok.commit(job, sent.session)
  if (committed.kind !== 'accepted') throw new Error(`Not accepted: ${JSON.stringify(committed)}`)
})

import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openStore } from './kit/store.ts'
import {
  graph,
  linkInstagram,
  linkTikTok,
  sampleVideo,
  start,
  tempDir,
  until,
  type Client,
} from './test-client.ts'

interface Disk {
  dir: string
  fill: () => void
  free: () => void
  remove?: () => void
}

function smallDisk(): Disk | null {
  const dir = tempDir()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir])
  if (mounted.status !== 0) return null
  const ballast = join(dir, 'ballast')
  return {
    dir,
    fill: () => {
      // Fills it to the last byte, so that the next line of the journal is torn.
      for (const bytes of [65_536, 4096, 64, 1]) {
        for (let isFull = false; !isFull;) {
          try {
            appendFileSync(ballast, Buffer.alloc(bytes))
          } catch {
            isFull = true
          }
        }
      }
    },
    free: () => rmSync(ballast),
    remove: () => spawnSync('umount', [dir]),
  }
}

/** If mounting is not permitted, something that accepts no bytes replaces the journal. */
function blockedJournal(): Disk {
  const dir = tempDir()
  const journal = join(dir, 'journal.jsonl')
  return {
    dir,
    fill: () => {
      renameSync(journal, `${journal}.aside`)
      mkdirSync(journal)
    },
    free: () => {
      rmdirSync(journal)
      renameSync(`${journal}.aside`, journal)
    },
  }
}

async function slowHost(): Promise<{ url: string; open: () => void; close: () => void }> {
  const gate = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    if (request.url === '/robots.txt') return response.end()
    const video = sampleVideo()
    response.setHeader('content-type', 'video/mp4').setHeader('content-length', video.length)
    return void gate.promise.then(() => response.end(request.method === 'HEAD' ? undefined : video))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : ''
  return {
    url: `http://127.0.0.1:${port}/a.mp4`,
    open: gate.resolve,
    close: () => server.closeAllConnections(),
  }
}

const isSettled = (state: unknown): boolean => state === 'FINISHED' || state === 'ERROR'

/** The journal's last block has room for some more lines: append short ones until none fits. */
async function fillJournal(client: Client): Promise<void> {
  for (let line = 0; line < 1000; line += 1) {
    const isWritten = await client.control('POST', '/clock', { advance_s: 0 }).then(
      () => true,
      () => false,
    )
    if (!isWritten) return
  }
  throw new Error('the disk does not run full')
}

async function survives(disk: Disk): Promise<void> {
  const client = await start(disk.dir)
  const host = await slowHost()
  const quick = await slowHost()
  quick.open()
  const token = await linkInstagram(client)
  const create = async (video_url: string): Promise<string> =>
    (await graph(client, token, 'me/media', { media_type: 'REELS', video_url, caption: 'Hello' })).id
  const containerState = async (id: string) =>
    (await graph(client, token, `${id}?fields=status_code`)).status_code
  const publish = (id: string) => graph(client, token, 'me/media_publish', { creation_id: id })
  const ready = await create(quick.url)
  expect(await until(() => containerState(ready), isSettled)).toBe('FINISHED')
  const waiting = await create(host.url)

  disk.fill()
  await fillJournal(client)
  host.open()
  expect(await publish(ready)).toMatchObject({ status: 500, error: { code: 2 } })
  await expect(linkTikTok(client)).rejects.toThrow('answered 500')
  await expect(client.control('POST', '/settings', { hooks: 'off' })).rejects.toThrow()
  expect((await fetch(client.url)).status).toBe(200)
  expect(await client.posts()).toEqual([])

  disk.free()
  expect(await publish(ready)).toMatchObject({ status: 200 })
  await until(() => containerState(waiting), isSettled)
  expect((await linkTikTok(client)).access_token).toMatch(/^act\./)
  await client.close()
  const again = await start(disk.dir)
  expect(await again.posts()).toHaveLength(1)
  await again.close()
  host.close()
  quick.close()
}

const mounted = smallDisk()
afterAll(() => mounted?.remove?.())
test.runIf(mounted !== null)('a full disk is answered with errors, and is over when there is room', () =>
  survives(mounted ?? blockedJournal()),
)

test('calls fail while the journal cannot be written, and work again afterwards', () =>
  survives(blockedJournal()))

test('a journal with a torn end that cannot be compacted goes on behind its last whole line', () => {
  const dir = tempDir()
  const journal = join(dir, 'journal.jsonl')
  openStore(dir).table('t').put('a', 1)
  appendFileSync(journal, '[["t","b"')
  mkdirSync(`${journal}.new`)
  const store = openStore(dir)
  store.compact()
  store.table('t').put('c', 3)
  expect(openStore(dir).table('t').all()).toEqual([1, 3])
})

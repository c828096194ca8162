/** The floor of `send`: node:http and a stream of each part, on one connection. Folder, key, bytes and port are given. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PART_BYTES, tellCost } from '../send/sent.ts'

const [dir = '', key = '', size = '', port = ''] = process.argv.slice(2)
const bytes = Number(size)
const agent = new Agent({ keepAlive: true })

await tellCost(async () => {
  const count = Math.floor(bytes / PART_BYTES)
  for (let part = 0; part < count; part++) {
    const first = part * PART_BYTES
    const last = part === count - 1 ? bytes - 1 : first + PART_BYTES - 1
    const call = request({
      agent,
      host: '127.0.0.1',
      port: Number(port),
      method: 'PUT',
      headers: { 'content-length': last - first + 1, 'content-range': `bytes ${first}-${last}/${bytes}` },
    })
    const answered = once(call, 'response') as Promise<[IncomingMessage]>
    const file = createReadStream(path.join(dir, 'files', key), {
      start: first,
      end: last,
      highWaterMark: 1_048_576,
    })
    await pipeline(file, call)
    const [answer] = await answered
    await once(answer.resume(), 'end')
  }
})

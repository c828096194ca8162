import { vi } from 'vitest'
import { api } from './api-stub.ts'
import { playback } from './data.ts'

/** The content of every stored video, which is read in parts. */
export function answerRanges(file: File): void {
  api.reply('createPlayback', playback())
  const others = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    if (address !== playback().url) return others(address, init)
    const [, from, last] = /bytes=(\d+)-(\d+)/.exec(new Headers(init?.headers).get('range') ?? '') ?? []
    return new Response(await file.slice(Number(from), Number(last) + 1).arrayBuffer(), { status: 206 })
  })
}

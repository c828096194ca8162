import { expect, test } from 'vitest'
import { frames, type Frame } from './live.ts'

const streamOf = (...parts: string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })

async function all(stream: ReadableStream<Uint8Array>): Promise<Frame[]> {
  const found: Frame[] = []
  for await (const frame of frames(stream)) found.push(frame)
  return found
}

test('frames arrive whole, however the stream is split', async () => {
  const whole = ': hello\n\nid: 7\ndata: {"a":1}\n\ndata: {"b":2}\n\n'
  const expected = [
    { id: '7', data: '{"a":1}' },
    { id: null, data: '{"b":2}' },
  ]
  expect(await all(streamOf(whole))).toEqual(expected)
  expect(await all(streamOf(...whole.split('')))).toEqual(expected)
  expect(await all(streamOf(...whole.replaceAll('\n', '\r\n').split('')))).toEqual(expected)
})

test('a character split between chunks arrives whole', async () => {
  const bytes = new TextEncoder().encode('data: "é"\n\n')
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await all(stream)).toEqual([{ id: null, data: '"é"' }])
})

test('an unfinished frame is dropped', async () => {
  expect(await all(streamOf('id: 1\ndata: {}'))).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { isPictureCutOff } from './picture-end.ts'

const text = (value: string) => Array.from(value, (letter) => letter.charCodeAt(0))
const u32 = (value: number) => [24, 16, 8, 0].map((bits) => (value >> bits) & 0xff)
const data = Array.from({ length: 2000 }, (_, i) => (i * 37 + 1) % 251)
const chunk = (name: string, body: number[] = []) => [...u32(body.length), ...text(name), ...body, ...u32(0)]
const box = (name: string, body: number[]) => [...u32(8 + body.length), ...text(name), ...body]
const segment = (marker: number, body: number[]) => [0xff, marker, 0, body.length + 2, ...body]

const START = [0xff, 0xd8]
const SCAN = [...segment(0xda, [1, 1, 0, 0, 63, 0]), ...data, 0xff, 0, 0xff, 0xd3, ...data, 0xff, 0xd9]

const PICTURES: Record<string, number[]> = {
  JPEG: [...START, ...segment(0xe0, [1, 2]), ...segment(0xc0, [8, 0, 16, 0, 9, 1, 0, 0, 0]), ...SCAN],
  PNG: [...text('\x89PNG\r\n\x1a\n'), ...chunk('IHDR', data), ...chunk('IDAT', data), ...chunk('IEND')],
  GIF: [...text('GIF89a'), ...data, 0x3b],
  WebP: [...text('RIFF'), ...u32(data.length + 12).toReversed(), ...text('WEBPVP8 '), ...u32(2000), ...data],
  AVIF: [...box('ftyp', text('avif')), ...box('meta', data), ...box('mdat', data)],
}

describe.each(Object.entries(PICTURES))('%s', (_kind, bytes) => {
  const whole = Uint8Array.from(bytes)

  it('is whole as it is', () => {
    expect(isPictureCutOff(whole)).toBe(false)
  })

  it('is cut off at any earlier end, and where zeros stand for what did not arrive', () => {
    for (const share of [0.2, 0.5, 0.9]) {
      const length = Math.floor(whole.length * share)
      expect(isPictureCutOff(whole.subarray(0, length))).toBe(true)
      const reserved = new Uint8Array(whole.length)
      reserved.set(whole.subarray(0, length))
      expect(isPictureCutOff(reserved)).toBe(true)
    }
    expect(isPictureCutOff(whole.subarray(0, -1))).toBe(true)
  })
})

it('the end of a thumbnail within a JPEG is not the end of the picture', () => {
  const picture = Uint8Array.from([...START, ...segment(0xe1, [0xff, 0xd9, 0xff, 0xd9]), ...SCAN])
  expect(isPictureCutOff(picture)).toBe(false)
  expect(isPictureCutOff(picture.subarray(0, picture.length >> 1))).toBe(true)
})

it('what is no known picture is left to the decoder', () => {
  for (const file of ['', 'x', 'BM and a bitmap', 'a picture'])
    expect(isPictureCutOff(Uint8Array.from(text(file)))).toBe(false)
})

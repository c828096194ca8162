import { expect, it } from 'vitest'
import { readCodecConfig } from './codec-config.ts'

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

// Written by x264 and x265 for 360 x 640 and 720 x 1280.
it.each([
  [
    'avc',
    '0142c01effe100196742c01eda05c14797c044000003000400000300f03c58ba8001000568ce039c80',
    '4:2:0',
    false,
  ],
  [
    'avc',
    '017a001effe10019677a001eb6cb40b828f2f80880000003008000001e078b175001000468ce0fc8fefafa00',
    '4:2:2',
    false,
  ],
  [
    'avc',
    '01f4001effe1001967f4001e9196817051e27c0440000003004000000f03c58ba801000568ce0f1920fff8f800',
    '4:4:4',
    false,
  ],
  ['avc', '014d401fffe10018674d401ff405a0a1b011000003000100000300321f162ea001000468de0fc8', '4:2:0', true],
  ['hevc', '0102200000009000000000003ff000fcfdfafa00000f04', '4:2:0', false],
  ['hevc', '0104080000009d08000000003ff000fcfefafa00000f04', '4:2:2', false],
  // The stream claims neither progressive nor interlaced.
  ['hevc', '0102200000000000000000003ff000fcfdfafa00000f04', '4:2:0', null],
] as const)('%s %s is %s, interlaced: %s', (codec, hex, chroma, isInterlaced) => {
  expect(readCodecConfig(codec, bytes(hex))).toEqual({ chroma, isInterlaced, lengthBytes: 4 })
})

it('what is cut short, of another codec or none is not known', () => {
  const nothingKnown = { chroma: null, isInterlaced: null, lengthBytes: null }
  expect(readCodecConfig('avc', bytes('0142c01effe1001967'))).toEqual({ ...nothingKnown, lengthBytes: 4 })
  expect(readCodecConfig('vp9', bytes('0142c01e'))).toEqual(nothingKnown)
  expect(readCodecConfig('avc', null)).toEqual(nothingKnown)
})

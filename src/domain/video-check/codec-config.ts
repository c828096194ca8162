/** The pictures as the decoder's configuration describes them; null: it does not tell. */
export type CodecConfig = {
  readonly chroma: string | null
  readonly isInterlaced: boolean | null
  /** Bytes of the length field before each unit of a sample; null: units are marked in another way. */
  readonly lengthBytes: number | null
}

const NOTHING_KNOWN: CodecConfig = { chroma: null, isInterlaced: null, lengthBytes: null }
const CHROMA = ['4:0:0', '4:2:0', '4:2:2', '4:4:4']

/** Reads `avcC` and `hvcC` (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1). */
export function readCodecConfig(codec: string | null, config: Uint8Array | null): CodecConfig {
  if (config === null || config[0] !== 1) return NOTHING_KNOWN
  if (codec === 'avc') {
    const sps = config.subarray(8, 8 + (byteAt(config, 6) << 8) + byteAt(config, 7))
    const parsed = (byteAt(config, 5) & 0x1f) > 0 ? readSps(sps) : null
    return { ...NOTHING_KNOWN, ...parsed, lengthBytes: (byteAt(config, 4) & 3) + 1 }
  }
  if (codec !== 'hevc' || config.length < 23) return NOTHING_KNOWN
  const flag = (bit: number): boolean => (byteAt(config, 6) & bit) > 0
  const [isProgressive, hasFields, isFrameOnly] = [flag(0x80), flag(0x40), flag(0x10)]
  return {
    chroma: CHROMA[byteAt(config, 16) & 3] ?? null,
    // Both flags or neither: the source is unknown.
    isInterlaced: isFrameOnly ? false : isProgressive === hasFields ? null : hasFields,
    lengthBytes: (byteAt(config, 21) & 3) + 1,
  }
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

/** Only these profiles name their chroma format; the others have 4:2:0 (ITU-T H.264, 7.3.2.1.1). */
const HIGH_PROFILES = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

function readSps(sps: Uint8Array): Pick<CodecConfig, 'chroma' | 'isInterlaced'> | null {
  const bits = createBitReader(withoutEmulation(sps.subarray(1)))
  const profile = bits.take(8)
  bits.take(16)
  bits.golomb()
  let format = 1
  if (HIGH_PROFILES.includes(profile)) {
    format = bits.golomb()
    if (format === 3) bits.take(1)
    bits.golomb()
    bits.golomb()
    bits.take(1)
    if (bits.take(1) === 1) skipScalingLists(bits, format === 3 ? 12 : 8)
  }
  bits.golomb()
  const orderType = bits.golomb()
  if (orderType === 0) bits.golomb()
  if (orderType === 1) {
    bits.take(1)
    bits.golomb()
    bits.golomb()
    const cycle = bits.golomb()
    for (let i = 0; i < cycle && !bits.isOver(); i++) bits.golomb()
  }
  bits.golomb()
  bits.take(1)
  bits.golomb()
  bits.golomb()
  const framesOnly = bits.take(1)
  // A parameter set that ends early is not reliable.
  return bits.isOver() ? null : { chroma: CHROMA[format] ?? null, isInterlaced: framesOnly === 0 }
}

function skipScalingLists(bits: Bits, lists: number): void {
  for (let list = 0; list < lists; list++) {
    if (bits.take(1) === 0) continue
    for (let i = 0, last = 8; i < (list < 6 ? 16 : 64) && last !== 0; i++) {
      const code = bits.golomb()
      const delta = code % 2 === 1 ? (code + 1) / 2 : -code / 2
      last = (last + delta + 256) % 256
    }
  }
}

/** Within a parameter set, 00 00 is followed by a 03 that does not belong to it. */
const withoutEmulation = (bytes: Uint8Array): Uint8Array =>
  bytes.filter((value, i) => !(value === 3 && bytes[i - 1] === 0 && bytes[i - 2] === 0))

type Bits = ReturnType<typeof createBitReader>

function createBitReader(bytes: Uint8Array) {
  let at = 0
  const take = (count: number): number => {
    let value = 0
    for (let i = 0; i < count; i++, at++) value = value * 2 + ((byteAt(bytes, at >> 3) >> (7 - (at & 7))) & 1)
    return value
  }
  return {
    take,
    golomb: (): number => {
      let zeros = 0
      while (zeros < 32 && at < bytes.length * 8 && take(1) === 0) zeros += 1
      return 2 ** zeros - 1 + take(zeros)
    },
    isOver: () => at > bytes.length * 8,
  }
}

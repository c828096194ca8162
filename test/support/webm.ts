function element(id: string, ...content: (Uint8Array | string | number)[]): Buffer {
  const body = Buffer.concat(
    content.map((part) =>
      part instanceof Uint8Array ? part : Buffer.from(typeof part === 'string' ? part : [part]),
    ),
  )
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), length, body])
}

/** A WebM file of one track (RFC 9559), by default without frames; width and duration are written unchanged. */
export function webm({
  width = Buffer.from([1, 104]),
  duration = Buffer.from('40a7700000000000', 'hex'),
  clusters = Buffer.alloc(0),
}: {
  width?: Uint8Array
  duration?: Uint8Array
  clusters?: Uint8Array
}): Buffer<ArrayBuffer> {
  const head = element('1a45dfa3', element('4282', 'webm'), element('4287', 4), element('4285', 2))
  const info = element(
    '1549a966',
    element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])),
    element('4489', duration),
  )
  const picture = element('e0', element('b0', width), element('ba', 200))
  const track = element(
    'ae',
    element('d7', 1),
    element('73c5', 1),
    element('83', 1),
    element('86', 'V_VP9'),
    picture,
  )
  return Buffer.concat([head, element('18538067', info, element('1654ae6b', track), clusters)])
}

/** A megabyte of blocks that each claim 256 frames in one byte (RFC 9559, 10.3), which keeps a parser busy for minutes. */
export function busyWebm(): Buffer<ArrayBuffer> {
  const block = Buffer.from('a38781000084ff0101', 'hex')
  const blocks = Buffer.alloc(100_000 * block.length, block)
  return webm({ clusters: element('1f43b675', element('e7', 0), blocks) })
}

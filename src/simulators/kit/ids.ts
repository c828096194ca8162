import { createHash, randomBytes, randomInt } from 'node:crypto'

/** Digits that begin with `head` and exceed JavaScript numbers: parsing them as one changes them. */
export function hugeNumber(head: string, length: number): string {
  for (;;) {
    let digits = head
    while (digits.length < length) digits += String(randomInt(10))
    if (!survivesAsNumber(digits)) return digits
  }
}

export function hashToHugeNumber(name: string, head: string, length: number): string {
  for (let round = 0; ; round += 1) {
    const hash = createHash('sha256').update(`${name} ${round}`).digest('hex')
    const digits =
      head +
      BigInt(`0x${hash}`)
        .toString()
        .slice(-(length - head.length))
    if (!survivesAsNumber(digits)) return digits
  }
}

/** As a value or printed: JavaScript prints only the digits that identify a number, which may be exactly these. */
const survivesAsNumber = (digits: string): boolean =>
  BigInt(Number(digits)) === BigInt(digits) || String(Number(digits)) === digits

export const secret = (bytes: number): string => randomBytes(bytes).toString('base64url')

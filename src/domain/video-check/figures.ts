type Format = (value: number, decimals: number) => string

/** Enough for any measured figures, and an end to the loop for equal ones. */
const MAX_DECIMALS = 12

/** Texts of a figure and of the limit it breaks, with enough decimals to differ. */
export function tellApart(
  figure: number,
  limit: number,
  format: Format,
): { readonly figure: string; readonly limit: string } {
  let texts = { figure: '', limit: '' }
  for (let decimals = 0; decimals <= MAX_DECIMALS && texts.figure === texts.limit; decimals++) {
    texts = { figure: format(figure, decimals), limit: format(limit, decimals) }
  }
  return texts
}

/** "29.97", "60" */
export const plain: Format = (value, decimals) => String(round(value, Math.max(decimals, 2)))

/** "4.2 seconds", "15 minutes", "2 minutes 5 seconds", "15 minutes 0.05 seconds" */
export function seconds(value: number, decimals = 0): string {
  const exact = round(value, Math.max(decimals, 2))
  if (exact < 60) return counted(exact, 'second')
  const whole = round(value, decimals)
  const minutes = Math.floor(whole / 60)
  const rest = round(whole - minutes * 60, decimals)
  return rest === 0 ? counted(minutes, 'minute') : `${counted(minutes, 'minute')} ${counted(rest, 'second')}`
}

/** "300 MB", "2.5 GB"; in bytes where two decimals do not suffice. */
export function megabytes(count: number, decimals = 0): string {
  if (decimals > 2) return `${count.toLocaleString('en-GB')} bytes`
  // Platforms give limits in millions of bytes, except TikTok's 4 GB, which is 2^32 bytes.
  if (count >= 4 * GIBIBYTE) return `${round(count / GIBIBYTE, 2)} GB`
  const mega = round(count / 1_000_000, 2)
  return mega < 1000 ? `${mega} MB` : `${round(count / 1_000_000_000, 2)} GB`
}
const GIBIBYTE = 1_073_741_824

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
const round = (value: number, decimals: number): number => Number(value.toFixed(decimals))

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** In powers of 1000, as disks are sold. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1000 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[power]}`
}

/** A time in its largest unit, such as "3 hours". */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const steps = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const
  const [size, unit] = steps.find(([least]) => seconds >= 2 * least) ?? [1, 'second']
  const amount = Math.floor(seconds / size)
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

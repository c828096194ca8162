/** Formats amounts. Bytes use powers of 1000, as the platforms and file managers do. */

const UNITS = [
  { size: 1e9, name: 'GB' },
  { size: 1e6, name: 'MB' },
  { size: 1e3, name: 'kB' },
  { size: 1, name: 'B' },
] as const
type Unit = (typeof UNITS)[number]

const unitOf = (count: number): Unit => UNITS.find(({ size }) => count >= size) ?? UNITS[3]

/** One decimal below ten, none for bytes: "1.3 MB", "39 MB", "512 B". */
function inUnit(count: number, { size }: Unit): string {
  const value = count / size
  return size > 1 && value < 9.95 ? String(Math.round(value * 10) / 10) : String(Math.round(value))
}

export function formatBytes(count: number): string {
  const unit = unitOf(count)
  return `${inUnit(count, unit)} ${unit.name}`
}

/** "24 of 39 MB": both in the unit of the total. */
export function formatSentBytes(sent: number, total: number): string {
  const unit = unitOf(total)
  return `${inUnit(sent, unit)} of ${inUnit(total, unit)} ${unit.name}`
}

/** Rounded down, so that 100 means complete. */
export const percent = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(100, Math.floor((part / whole) * 100))

/** "1 video", "2,000 videos". */
export const counted = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`

/** "30 fps", "about 30 fps"; false: not known. */
export const formatFrameRate = ({
  fps,
  fps_is_estimate,
}: {
  readonly fps: number | null
  readonly fps_is_estimate: boolean
}): string | false => fps !== null && `${fps_is_estimate ? 'about ' : ''}${Math.round(fps)} fps`

const two = (value: number) => String(value).padStart(2, '0')

/** A video's length: "0:42", "1:05", "1:01:05". */
export function formatPlayTime(seconds: number): string {
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** A duration in its two largest units: "8 s", "3 min", "18 h 58 min", "2 d 4 h". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`
}

/** The moments of a video that can be its cover: its frames, in whole milliseconds. */

export type Timing = { readonly durationS: number; readonly fps: number | null }

/** With an unknown rate, a step is no longer than a frame of most videos. */
const USUAL_FPS = 30
const SHIFT_MS = 1000

const rateOf = ({ fps }: Timing): number => (fps !== null && fps > 0 ? fps : USUAL_FPS)

export const frameMs = (timing: Timing): number => 1000 / rateOf(timing)

/** A millisecond belongs to the frame that is shown then. */
const frameAt = (ms: number, timing: Timing): number => Math.floor((ms * rateOf(timing)) / 1000 + 1e-6)

/** The first whole millisecond at which the frame is shown: rounded down it would be the frame before. */
const startOf = (frame: number, timing: Timing): number =>
  Math.max(0, Math.ceil((frame * 1000) / rateOf(timing) - 1e-6))

/** The start of the last frame that begins before the end: platforms refuse a cover at the end. */
export function lastMoment(timing: Timing): number {
  const endMs = timing.durationS * 1000
  const last = startOf(frameAt(endMs, timing), timing)
  return Math.max(0, last < endMs ? last : startOf(frameAt(endMs, timing) - 1, timing))
}

/** The start of the frame that is shown at `ms`, limited to the video. Fractions of a millisecond are rounded up. */
export const snapToFrame = (ms: number, timing: Timing): number =>
  startOf(frameAt(Math.max(0, Math.min(Math.ceil(ms), lastMoment(timing))), timing), timing)

/** Arrows move one frame, with Shift one second; Home and End go to the ends. null: the key means nothing here. */
export function momentAfterKey(
  ms: number,
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  timing: Timing,
): number | null {
  const steps = (count: number) =>
    shiftKey ? snapToFrame(ms + count * SHIFT_MS, timing) : stepFrames(ms, count, timing)
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return steps(1)
    case 'ArrowLeft':
    case 'ArrowDown':
      return steps(-1)
    case 'Home':
      return 0
    case 'End':
      return lastMoment(timing)
    default:
      return null
  }
}

const stepFrames = (ms: number, count: number, timing: Timing): number => {
  const frame = Math.max(0, frameAt(ms, timing) + count)
  return Math.min(startOf(frame, timing), lastMoment(timing))
}

/** "0:11", or "0:11.37" between two seconds. */
export function momentText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const hundredths = Math.floor((ms % 1000) / 10)
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return hundredths === 0 ? text : `${text}.${String(hundredths).padStart(2, '0')}`
}

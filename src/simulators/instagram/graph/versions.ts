import type { Answer } from '../../kit/http/serve.ts'
import { graphError } from './answers.ts'
import type { Instagram } from '../state/state.ts'

const released: readonly (readonly [version: number, day: string])[] = [
  [19, '2024-01-23'],
  [20, '2024-05-21'],
  [21, '2024-10-02'],
  [22, '2025-01-21'],
  [23, '2025-05-29'],
  [24, '2025-10-08'],
  [25, '2026-02-18'],
  [26, '2026-07-29'],
]

/** "A version will no longer be usable two years after the date that the subsequent version is released." */
function isServed(version: number, now: number): boolean {
  const next = released.find(([number]) => number === version + 1)
  if (next === undefined) return released.some(([number]) => number === version)
  const end = new Date(next[1])
  end.setUTCFullYear(end.getUTCFullYear() + 2)
  return now < end.getTime()
}

/**
 * '' is a path without a version, which is documented too. Meta documents that a retired version is served as the oldest
 * supported one, but refusals were observed as well, so a setting decides.
 */
export function checkVersion(instagram: Instagram, version: string): Answer | null {
  if (version === '') return null
  const number = Number(/^v(\d+)\.\d+$/.exec(version)?.[1] ?? NaN)
  const newest = released.at(-1)?.[0] ?? 0
  if (Number.isNaN(number) || number > newest) {
    return graphError({ code: 2500, message: `Unknown path components: /${version}` })
  }
  if (
    instagram.settings.get().instagram_ended_version === 'oldest' ||
    isServed(number, instagram.clock.now())
  )
    return null
  return graphError({
    code: 2635,
    message: `(#2635) You are calling a deprecated version of the API: ${version}.`,
  })
}

import type { Answer } from '../../kit/http/serve.ts'
import { graphError } from './answers.ts'

/** v26 was released on 2026-07-29. */
const NEWEST = 26

/** Meta documents that a path may have no version, and that a retired one is served as the oldest that is supported. */
export function checkVersion(version: string): Answer | null {
  const number = Number(/^v(\d+)\.\d+$/.exec(version)?.[1] ?? NaN)
  return version === '' || number <= NEWEST
    ? null
    : graphError({ code: 2500, message: `Unknown path components: /${version}` })
}

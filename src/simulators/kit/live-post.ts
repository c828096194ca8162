import type { PlatformName } from './faults.ts'

/** One line of `GET /_control/posts`: the reference for "exactly once". */
export interface LivePost {
  platform: PlatformName
  account: string
  text: string
  /** What the creator chose, in the platform's own words. */
  options: Record<string, unknown>
  /** Of the bytes that became the post. */
  sha256: string
  bytes: number
  created_at: string
  url: string
  /** Where the platform lets apps comment. */
  comments_off?: boolean
  comments?: { account: string; text: string }[]
}

import type { PlatformName } from './faults.ts'

export interface LivePost {
  platform: PlatformName
  account: string
  text: string
  /** The creator's choices in the platform's own words. */
  options: Record<string, unknown>
  /** Hash of the bytes that became the post. */
  sha256: string
  bytes: number
  created_at: string
  url: string
  comments_off?: boolean
  comments?: { account: string; text: string }[]
}

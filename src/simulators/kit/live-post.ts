import type { PlatformName } from './faults.ts'

export interface LivePost {
  platform: PlatformName
  id: string
  account: string
  text: string
  options: Record<string, unknown>
  sha256: string
  bytes: number
  created_at: string
  url: string
  comments_off?: boolean
  comments?: { account: string; text: string }[]
}

/** `private`: on Instagram, archived. */
export type Visibility = 'public' | 'private' | 'deleted'

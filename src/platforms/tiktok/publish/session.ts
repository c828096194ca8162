import { z } from 'zod'
import type { TikTokConfig } from '../api/config.ts'

export type Deps = { readonly config: TikTokConfig; readonly now: () => number }

export const UPLOAD_LIFE_MS = 3_600_000

export const TikTokSession = z.object({
  publishId: z.string(),
  inbox: z.boolean().default(false),
  /** The username when the post was opened: it may have changed since the account was linked. */
  username: z.string().nullable(),
  uploadUrl: z.string(),
  expiresAt: z.number(),
  size: z.number(),
  chunkSize: z.number(),
  count: z.number(),
  next: z.number(),
  /**
   * The last chunk was sent without an answer, and TikTok then reported it missing. From then on only an answer that covers every
   * send is definite.
   */
  contested: z.boolean(),
  /** The last chunk was refused once and TikTok reported missing bytes; one refusal alone does not count. */
  refused: z.boolean().default(false),
  pauseS: z.number().default(0),
  taken: z.boolean(),
})
export type TikTokSession = z.infer<typeof TikTokSession>

export const wasSentWhole = (session: TikTokSession): boolean => session.contested || session.refused

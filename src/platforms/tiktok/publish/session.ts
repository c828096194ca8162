import { z } from 'zod'
import type { TikTokConfig } from '../api/config.ts'

export type Deps = { readonly config: TikTokConfig; readonly now: () => number }

export const UPLOAD_LIFE_MS = 3_600_000

export const TikTokSession = z.object({
  publishId: z.string(),
  /** A draft goes to the creator's inbox instead of being posted. */
  inbox: z.boolean().default(false),
  /** The username when the post was opened: it may have changed since the account was linked. */
  username: z.string().nullable(),
  uploadUrl: z.string(),
  expiresAt: z.number(),
  size: z.number(),
  chunkSize: z.number(),
  count: z.number(),
  /** The first chunk that TikTok does not have yet. */
  next: z.number(),
  /**
   * The last chunk was sent without an answer, and TikTok then reported it missing. From then on only an answer that covers every
   * send is definite.
   */
  contested: z.boolean(),
  /** The last chunk was refused once and TikTok reported missing bytes; one refusal alone does not count. */
  refused: z.boolean().default(false),
  /** Seconds to wait before the next byte. */
  pauseS: z.number().default(0),
  /** TikTok answered 201: it has every byte. */
  taken: z.boolean(),
})
export type TikTokSession = z.infer<typeof TikTokSession>

export const wasSentWhole = (session: TikTokSession): boolean => session.contested || session.refused

import { z } from 'zod'
import type { TikTokConfig } from '../api/config.ts'

export type Deps = { readonly config: TikTokConfig; readonly now: () => number }

/** "Direct Post": the upload address is valid for one hour, within which the whole upload must be done. */
export const UPLOAD_LIFE_MS = 3_600_000

export const TikTokSession = z.object({
  publishId: z.string(),
  /** As it was when the post was opened: a creator may have changed it since the account was linked. */
  username: z.string(),
  uploadUrl: z.string(),
  expiresAt: z.number(),
  size: z.number(),
  chunkSize: z.number(),
  count: z.number(),
  /** The first chunk that TikTok does not have yet. */
  next: z.number(),
  /**
   * The last chunk was sent once without an answer, and TikTok then said that it has not arrived. From then on only an
   * answer that is certain about every sending counts as definite.
   */
  contested: z.boolean(),
  /** The last chunk was refused once, and TikTok said that bytes are missing. Neither is believed the first time. */
  refused: z.boolean().default(false),
  /** Seconds to let pass before the next byte. */
  pauseS: z.number().default(0),
  /** TikTok answered 201: it has everything. */
  taken: z.boolean(),
})
export type TikTokSession = z.infer<typeof TikTokSession>

/** The last chunk has left for this address at least once. */
export const wasSentWhole = (session: TikTokSession): boolean => session.contested || session.refused

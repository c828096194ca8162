import { z } from 'zod'

export const YouTubeSession = z.object({
  /** Whoever has it can finish the upload. */
  uploadUrl: z.string(),
  size: z.number().int().positive(),
  /** The first byte that YouTube does not hold, as far as it said. */
  next: z.number().int().min(0),
  openedAt: z.number(),
  /** The last byte was sent at least once, so this upload may be a video. */
  contested: z.boolean(),
  /** The upload is a video. */
  videoId: z.string().nullable(),
})
export type YouTubeSession = z.infer<typeof YouTubeSession>

/** Resumable Uploads: every part but the last is a multiple of this many bytes. */
export const UNIT_BYTES = 262_144

/** The last byte makes the video. What lies behind the last whole unit before it is held back for `commit`: 1 to 262,144 bytes. */
export const heldBackFrom = (size: number): number => Math.floor((size - 1) / UNIT_BYTES) * UNIT_BYTES

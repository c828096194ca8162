/** All chunks are `chunkSize` bytes; the last also takes the rest. */
export type ChunkPlan = { readonly size: number; readonly chunkSize: number; readonly count: number }

/** TikTok, Media Transfer Guide (2026-09-11): "Maximum of 4GB". */
const MAX_BYTES = 4_294_967_296
/** Media Transfer Guide: up to 64 MB in one piece, larger files in chunks. MB is not defined there; 10^6 satisfies both readings. */
const SINGLE_MAX_BYTES = 64_000_000
/** Media Transfer Guide, worked example: chunks of 10,000,000 bytes; each must be 5 to 64 MB. */
const CHUNK_BYTES = 10_000_000

/**
 * Media Transfer Guide (2026-09-11): the count is rounded down, and the last chunk takes the remainder. Observed: a single chunk must be
 * exactly as large as the video. Null: TikTok refuses the size.
 */
export function chunkPlan(size: number): ChunkPlan | null {
  if (!Number.isSafeInteger(size) || size <= 0 || size > MAX_BYTES) return null
  if (size <= SINGLE_MAX_BYTES) return { size, chunkSize: size, count: 1 }
  return { size, chunkSize: CHUNK_BYTES, count: Math.floor(size / CHUNK_BYTES) }
}

export function chunkRange(
  plan: ChunkPlan,
  index: number,
): { readonly first: number; readonly last: number } {
  const first = index * plan.chunkSize
  return { first, last: index === plan.count - 1 ? plan.size - 1 : first + plan.chunkSize - 1 }
}

/** The next chunk to send when TikTok has `uploaded` bytes; `count` when it has all. */
export function nextChunk(plan: ChunkPlan, uploaded: number): number {
  if (isWhole(plan, uploaded)) return plan.count
  return Math.min(Math.floor(countReceived(plan, uploaded) / plan.chunkSize), plan.count - 1)
}

export const isWhole = (plan: ChunkPlan, uploaded: number): boolean =>
  countReceived(plan, uploaded) >= plan.size

/** "uploaded_bytes" is documented as a count; a number one short of a chunk's end is read as the position of the last byte. */
const countReceived = (plan: ChunkPlan, uploaded: number): number => {
  const isEnd = (uploaded + 1) % plan.chunkSize === 0 || uploaded + 1 === plan.size
  return isEnd ? uploaded + 1 : uploaded
}

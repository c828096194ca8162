import { queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Finding, VideoFacts } from '#contract/videos.ts'
import { checkVideo, type AccountLimits } from '#domain/video-check/post-check.ts'

export type VideoCheck =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'known'; readonly facts: VideoFacts; readonly findings: readonly Finding[] }

/** The code that reads facts is loaded when a file is chosen. */
export const factsQuery = (file: File | null) =>
  queryOptions({
    queryKey: ['facts', file?.name, file?.size, file?.lastModified],
    queryFn: file === null ? skipToken : async () => (await import('./file-facts.ts')).readFacts(file),
    staleTime: Infinity,
    retry: false,
  })

/** Reads the file in the browser and checks it against each platform's limits. */
export function useVideoCheck(
  file: File | null,
  platforms: readonly PlatformId[],
  account?: AccountLimits,
): VideoCheck {
  const facts = useQuery(factsQuery(file))
  if (file === null) return { kind: 'none' }
  // If the reader could not be loaded, the server still checks.
  if (facts.status === 'error') return { kind: 'none' }
  if (!facts.data) return { kind: 'reading' }
  const read = facts.data
  const findings = platforms.flatMap((platform) => checkVideo(read, file.size, platform, account))
  return { kind: 'known', facts: read, findings }
}

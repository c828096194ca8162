import type { Result } from '#domain/delivery/failure.ts'
import type { TikTokConfig } from './config.ts'
import { CreatorInfo, post } from './wire.ts'

/** "Query Creator Info": asked whenever the composer opens and again before each post. 20 calls a minute. */
export const creatorInfo = (
  config: TikTokConfig,
  accessToken: string,
  signal?: AbortSignal,
): Promise<Result<CreatorInfo>> =>
  post(config, '/v2/post/publish/creator_info/query/', accessToken, {}, CreatorInfo, signal)

import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'

/** What a platform asks for with every post, beside the defaults of the rest. */
export const REQUIRED_OPTIONS: Readonly<Record<PlatformId, Readonly<Record<string, unknown>>>> = {
  tiktok: {},
  instagram: {},
  youtube: { title: 'Lemon tart', privacy: 'public', made_for_kids: false },
}

/** Platforms on which an account can add a first comment. */
export const WITH_COMMENTS: readonly PlatformId[] = PLATFORM_IDS.filter((id) => id !== 'tiktok')

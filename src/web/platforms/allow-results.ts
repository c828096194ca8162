import { needsPermissionForAll, type PlatformId } from '#contract/platforms/index.ts'

/** The words about the permission `results`, which some platforms need for some of their numbers only. */
export const allowResultsWords = (platform: PlatformId) =>
  needsPermissionForAll(platform)
    ? { needs: 'Results need a permission', allow: 'Show results' }
    : { needs: 'More results need a permission', allow: 'Show more results' }

import { expect, test } from 'vitest'
import type { z } from 'zod'
import { API } from '#contract/api/api.ts'
import { DELIVERY_STATES, DeliveryAction, FollowUpKind } from '#contract/deliveries.ts'
import { type Endpoint } from '#contract/http/endpoint.ts'
import { KEY_SCOPES, TAGS } from '#contract/http/key-rights.ts'
import * as limits from '#contract/limits.ts'
import { OptionalPermission, PLATFORM_IDS } from '#contract/platforms/index.ts'
import { TIKTOK_PRIVACY_LEVELS } from '#contract/platforms/tiktok.ts'
import { WEBHOOK_EVENTS } from '#contract/webhooks.ts'

/** Lists in our source, such as platforms and known failures: nobody can extend them. */
const OUR_OWN = 1000
const platforms = PLATFORM_IDS.length
const actions = DeliveryAction.options.length

/** The maximum length of every list in the API. A new list needs a page or a limit, and a line here. */
const MOST: Readonly<Record<string, number>> = {
  'getSettings.platforms': platforms,
  'getSettings.legal_pages': OUR_OWN,
  'getSettings.identity.providers': OUR_OWN,
  'getHelp.platforms': platforms,
  'getHelp.platforms[].scopes': OUR_OWN,
  'getHelp.platforms[].hooks': OUR_OWN,
  'getHelp.failures': OUR_OWN,
  'getHelp.failures[].waits_s': OUR_OWN,
  'getHelp.failures[].codes': platforms,
  'getHelp.failures[].codes[].codes': OUR_OWN,
  listBrands: limits.BRANDS_MAX,
  listAccounts: limits.ACCOUNTS_MAX,
  'listAccounts[].permissions': OptionalPermission.options.length,
  'getAccountOptions.privacy_levels': TIKTOK_PRIVACY_LEVELS.length,
  listPostsToday: limits.ACCOUNTS_MAX,
  'uploadVideo.findings': OUR_OWN,
  'uploadVideo.tags': limits.VIDEO_TAGS_MAX,
  'listVideos.videos': limits.VIDEOS_PAGE_MAX,
  'getLibrary.tags': limits.LIBRARY_TAGS_MAX,
  'updateVideos.videos': limits.VIDEOS_AT_ONCE_MAX,
  'readVideoUsage.videos': limits.VIDEOS_AT_ONCE_MAX,
  'readVideoUsage.videos[].posts': limits.VIDEO_POSTS_SHOWN,
  'readVideoUsage.videos[].drafts': limits.DRAFTS_MAX,
  'listUploads.items': limits.OPEN_UPLOADS_MAX,
  'postTikTokVideo.deliveries': limits.POST_TARGETS_MAX,
  'postTikTokVideo.deliveries[].actions': actions,
  'postTikTokVideo.deliveries[].follow_ups': FollowUpKind.options.length,
  'postTikTokVideo.deliveries[].follow_ups[].actions': actions,
  'tryPost.targets': limits.POST_TARGETS_MAX,
  'tryPost.targets[].findings': OUR_OWN,
  'tryPost.moves': limits.SCHEDULE_POSTS_MAX,
  'tryPost.similar': limits.POST_TARGETS_MAX,
  'findSimilarPosts.items': limits.POST_TARGETS_MAX,
  'listPosts.items': limits.POSTS_PAGE_MAX,
  'listPosts.counts': OUR_OWN,
  'getPost.events': limits.POST_EVENTS_MAX,
  'getPost.targets': limits.POST_TARGETS_MAX,
  'getPost.targets[].options': OUR_OWN,
  'decideRestored.missed_post_ids': limits.POSTS_AT_ONCE_MAX,
  'pauseAccount.missed_post_ids': limits.POSTS_AT_ONCE_MAX,
  'createPosts.posts': limits.NEW_POSTS_MAX,
  'bulkPosts.done': limits.POSTS_AT_ONCE_MAX,
  'bulkPosts.refused': limits.POSTS_AT_ONCE_MAX,
  'listDrafts.items': limits.DRAFTS_MAX,
  'listDrafts.items[].account_ids': limits.POST_TARGETS_MAX,
  'listDrafts.items[].brand_ids': limits.POST_TARGETS_MAX,
  'getDraft.content.platform_options': platforms,
  'getDraft.content.platform_options{}': limits.DRAFT_MAX_CHARS,
  'getDraft.content.platform_texts': platforms,
  'getDraft.content.targets': limits.POST_TARGETS_MAX,
  'getDraft.content.replaces': limits.POST_TARGETS_MAX,
  listApiKeys: limits.API_KEYS_MAX,
  'listApiKeys[].scopes': KEY_SCOPES.length,
  'getAuthorizationRequest.scopes': KEY_SCOPES.length,
  'listApiKeys[].lacks': TAGS.length,
  'listApiKeys[].limited_to.brand_ids': limits.BRANDS_MAX,
  'listApiKeys[].limited_to.account_ids': limits.ACCOUNTS_MAX,
  listWebhooks: limits.WEBHOOKS_MAX,
  'listWebhooks[].events': WEBHOOK_EVENTS.length,
  'listWebhookMessages.items': limits.WEBHOOK_MESSAGES_PER_PAGE,
  listPresets: limits.PRESETS_MAX,
  'listPresets[].content.account_ids': limits.POST_TARGETS_MAX,
  'listPresets[].gone': limits.POST_TARGETS_MAX,
  'listResults.rows': limits.RESULTS_PAGE_MAX,
  'listResults.rows[].cells': limits.POST_TARGETS_MAX,
  'listResults.accounts': limits.ACCOUNTS_MAX,
  'getPostResults.deliveries': limits.POST_TARGETS_MAX,
  'getPostResults.deliveries[].marks': OUR_OWN,
  'getPostResults.deliveries[].marks[].values': OUR_OWN,
  'getResultsWeek.views': OUR_OWN,
  'getReport.numbers.followers_gained': OUR_OWN,
  'getReport.numbers.views': OUR_OWN,
  'getOverview.attention.posts': limits.OVERVIEW_SHOWN,
  'getOverview.published': limits.OVERVIEW_SHOWN,
  'getOverview.days': limits.OVERVIEW_DAYS,
  listBlockers: limits.BLOCKERS_MAX,
  listSchedules: limits.SCHEDULES_MAX,
  'listSchedules[].slots': limits.SCHEDULE_SLOTS_MAX,
  'listSchedules[].slots[].platforms': platforms,
  'previewSchedule.moves': limits.SCHEDULE_POSTS_MAX,
  'previewBrandZone.moves': limits.SCHEDULES_PER_BRAND_MAX * limits.SCHEDULE_POSTS_MAX,
  'listNextSlots.slots': limits.NEXT_SLOTS_MAX,
  'listNextSlots.slots[].platforms': platforms,
  'listNextSlots.top.moves': limits.SCHEDULE_POSTS_MAX,
  'getCalendar.posts': limits.CALENDAR_POSTS_MAX,
  'getCalendar.posts[].marks': platforms,
  'getCalendar.drafts': limits.DRAFTS_MAX,
  'getCalendar.slots': limits.CALENDAR_SLOTS_MAX,
  'importPosts.post_ids': limits.IMPORT_LINES_MAX,
  'importPosts.errors': limits.IMPORT_ERRORS_MAX,
  'importPosts.lines': limits.IMPORT_LINES_MAX,
  'importPosts.lines[].accounts': limits.POST_TARGETS_MAX,
  'listNotifications.items': limits.NOTIFICATIONS_PER_PAGE,
  'getServer.processes': limits.SERVER_PROCESSES_SHOWN,
  'listServerChecks.items': OUR_OWN,
  listPlatformSetups: platforms,
  'listPlatformSetups[].settings': OUR_OWN,
  'listServerUsers.items': limits.SERVER_USERS_PAGE,
  'getServerSignUp.invitations': limits.INVITATIONS_MAX,
  'listOperatorActs.items': limits.OPERATOR_ACTS_PAGE,
  'listOperatorActs.items[].before': OUR_OWN,
  'getNotificationSettings.kinds': DELIVERY_STATES.length,
}

test('every list that the API answers has a page or a limit', () => {
  const found: string[] = []
  const seen = new Set<z.core.$ZodType>()
  for (const [name, { reply }] of Object.entries<Endpoint>(API)) {
    for (const [path, list] of listsOf(reply, name)) {
      if (!seen.has(list)) found.push(path)
      seen.add(list)
    }
  }
  expect(found.toSorted()).toEqual(Object.keys(MOST).toSorted())
})

type Schema =
  | z.ZodArray
  | z.ZodRecord
  | z.ZodObject
  | z.ZodUnion
  | z.ZodIntersection
  | z.ZodNullable
  | z.ZodOptional
  | z.ZodDefault

function listsOf(given: z.core.$ZodType, path: string): [string, z.core.$ZodType][] {
  const schema = given as Schema // others hold no list
  switch (schema.type) {
    case 'array':
      return [[path, schema], ...listsOf(schema.element, `${path}[]`)]
    case 'record':
      return [[path, schema], ...listsOf(schema.valueType, `${path}{}`)]
    case 'object':
      return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([name, field]) =>
        listsOf(field, `${path}.${name}`),
      )
    case 'union':
      return schema.options.flatMap((option) => listsOf(option, path))
    case 'intersection':
      return [schema.def.left, schema.def.right].flatMap((side) => listsOf(side, path))
    case 'nullable':
    case 'optional':
    case 'default':
      return listsOf(schema.unwrap(), path)
    default:
      return []
  }
}

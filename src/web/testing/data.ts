import type { z } from 'zod'
import type { ApiKey } from '#contract/api-keys.ts'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { OVERVIEW_DAYS } from '#contract/limits.ts'
import {
  NOTIFICATION_KINDS,
  NotificationSettings,
  type Notification,
  type NotificationSettingsView,
} from '#contract/notifications.ts'
import type { Overview } from '#contract/overview.ts'
import { TikTokPrivacy, type TikTokAccountOptions } from '#contract/platforms/tiktok.ts'
import type { Post } from '#contract/posts.ts'
import type { FreeSlot, Schedule, scheduleEndpoints } from '#contract/planning/schedules.ts'
import type { Settings } from '#contract/settings.ts'
import type { User } from '#contract/users.ts'
import type { Picture, Playback, Video } from '#contract/videos.ts'
import type { Webhook, WebhookMessageDetail } from '#contract/webhooks.ts'
import { GOOD_FACTS } from '#domain/testing/good-facts.ts'

// The stubbed API answers with these. Each takes what a test wants different.

const AT = '2026-11-01T12:00:00.000Z'

export const user = (its: Partial<z.input<typeof User>> = {}): z.input<typeof User> => ({
  user_id: 1,
  uid: 'uid-ada',
  email: 'ada@example.com',
  nickname: 'Ada',
  timezone: 'Europe/Lisbon',
  operator: false,
  created_at: AT,
  ...its,
})

export const notification = (
  id: number,
  its: Partial<z.input<typeof Notification>> = {},
): z.input<typeof Notification> => ({
  notification_id: id,
  kind: 'failed',
  at: AT,
  subject: 'Rye starter',
  title: 'Failed on 2 of 6 accounts',
  message: 'The video is too long.',
  post_id: 12,
  account_id: null,
  webhook_id: null,
  read: false,
  ...its,
})

export const notificationSettings = (
  its: Partial<NotificationSettingsView> = {},
): NotificationSettingsView => ({
  kinds: NotificationSettings.shape.kinds.parse(
    Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, { in_app: true, mail: true }])),
  ),
  digest: 'at_once',
  quiet_hours: null,
  mail: 'sent',
  email: 'ada@example.com',
  email_confirmed: true,
  timezone: 'Europe/Lisbon',
  ...its,
})

export const settings = (its: Partial<z.input<typeof Settings>> = {}): z.input<typeof Settings> => ({
  signup: 'open',
  is_new: false,
  identity: { mode: 'embedded', apiKey: 'reelay', projectId: 'reelay', path: '/identity', providers: [] },
  account: { delete: true, sign_out_everywhere: true },
  token_sync_url: null,
  platforms: [
    { id: 'tiktok', name: 'TikTok', mode: 'practice', audit_form: false },
    { id: 'instagram', name: 'Instagram', mode: 'practice', audit_form: false },
    { id: 'youtube', name: 'YouTube', mode: 'practice', audit_form: false },
  ],
  practice_url: 'http://localhost:4401',
  notice: null,
  legal_pages: [],
  ...its,
})

export const brand = (its: Partial<z.input<typeof Brand>> = {}): z.input<typeof Brand> => ({
  brand_id: 1,
  title: 'Northwind',
  linkedAccounts: 0,
  timezone: null,
  color: null,
  logo_url: null,
  paused: false,
  paused_until: null,
  created_at: AT,
  ...its,
})

export const account = (its: Partial<z.input<typeof Account>> = {}): z.input<typeof Account> => ({
  account_id: 1,
  brand_id: 1,
  username: 'northwind',
  platform: 'tiktok',
  display_name: 'Northwind',
  avatar_url: null,
  health: { status: 'ok' },
  paused: false,
  paused_until: null,
  can_publish: true,
  permissions: [],
  linked_at: AT,
  access_ends_at: new Date(Date.now() + 300 * 86_400_000).toISOString(),
  ...its,
})

export const apiKey = (its: Partial<z.input<typeof ApiKey>> = {}): z.input<typeof ApiKey> => ({
  key_id: 1,
  name: 'Upload script',
  prefix: 'reelay_a1b2c',
  scopes: ['read'],
  limited_to: null,
  status: 'active',
  lacks: [],
  created_at: AT,
  expires_at: null,
  last_used_at: null,
  ...its,
})

export const webhook = (its: Partial<z.input<typeof Webhook>> = {}): z.input<typeof Webhook> => ({
  webhook_id: 1,
  address: 'https://hooks.example.com/reelay',
  events: ['post.published', 'post.failed'],
  status: 'on',
  off_since: null,
  succeeded_at: null,
  failed_at: null,
  rotating_until: null,
  created_at: AT,
  ...its,
})

export const webhookMessage = (
  its: Partial<z.input<typeof WebhookMessageDetail>> = {},
): z.input<typeof WebhookMessageDetail> => ({
  message_id: 1,
  event_id: '5f0c7c1e-6d43-4a5e-9f8e-3d1a6f2f0b7a',
  type: 'post.failed',
  created_at: AT,
  status: 'delivered',
  attempts: 1,
  attempted_at: AT,
  next_at: null,
  delivered_at: AT,
  answer_status: 204,
  failure: null,
  body: '{"type":"post.failed"}',
  answer: '',
  ...its,
})

const LEVELS = TikTokPrivacy.enum

export const playback = (its: Partial<Playback> = {}): Playback => ({
  url: '/media/an-hour.mp4',
  expires_at: '2026-11-01T13:00:00.000Z',
  ...its,
})

export const picture = (its: Partial<z.input<typeof Picture>> = {}): z.input<typeof Picture> => ({
  picture_id: 1,
  url: '/pictures/one',
  width: 1080,
  height: 1920,
  size: 200_000,
  created_at: AT,
  ...its,
})

export const creator = (its: Partial<TikTokAccountOptions> = {}): TikTokAccountOptions => ({
  platform: 'tiktok',
  username: 'northwind',
  nickname: 'Northwind',
  avatar_url: null,
  privacy_levels: [LEVELS.PUBLIC_TO_EVERYONE, LEVELS.MUTUAL_FOLLOW_FRIENDS, LEVELS.SELF_ONLY],
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_duration_s: 600,
  notice: null,
  ...its,
})

export const video = (its: Partial<z.input<typeof Video>> = {}): z.input<typeof Video> => ({
  video_id: 1,
  filename: 'good.mp4',
  mime: 'video/mp4',
  size: 1000,
  sha256: '00',
  facts: { ...GOOD_FACTS, duration_s: 4 },
  findings: [],
  poster_url: null,
  tags: [],
  brand_id: null,
  used_in: { posts: 0, drafts: 0 },
  created_at: AT,
  ...its,
})

/** A page of videos that is the only one. */
export const videosPage = (...videos: z.input<typeof Video>[]) => ({ videos, next_cursor: null })

export const delivery = (its: Partial<z.input<typeof Delivery>> = {}): z.input<typeof Delivery> => ({
  delivery_id: 1,
  post_id: 1,
  account_id: 1,
  platform: 'tiktok',
  username: 'northwind',
  display_name: 'Northwind',
  avatar_url: null,
  to_inbox: false,
  status: 'published',
  progress: null,
  reason: null,
  cause: null,
  paused: null,
  settled: null,
  open_outcome: null,
  url: null,
  due_at: null,
  published_at: AT,
  in_inbox_at: null,
  actions: [],
  editable: its.status === 'scheduled' || its.status === 'blocked',
  follow_ups: [],
  attempt: 1,
  updated_at: AT,
  ...its,
})

export const post = (its: Partial<z.input<typeof Post>> = {}): z.input<typeof Post> => ({
  post_id: 1,
  reference: null,
  version: 1,
  brand_id: 1,
  brand_title: 'Northwind',
  text: 'Opening day',
  video: {
    video_id: 1,
    filename: 'good.mp4',
    size: 1000,
    duration_s: 4,
    width: 1080,
    height: 1920,
    poster_url: null,
  },
  publish_at: null,
  timezone: null,
  schedule_id: null,
  created_at: AT,
  goes_out_at: its.publish_at ?? its.created_at ?? AT,
  deliveries: [delivery()],
  ...its,
})

export const schedule = (its: Partial<z.input<typeof Schedule>> = {}): z.input<typeof Schedule> => ({
  schedule_id: 1,
  brand_id: 1,
  name: 'Evenings',
  timezone: 'Europe/Lisbon',
  paused: false,
  paused_until: null,
  jitter_minutes: 0,
  slots: [
    { weekday: 2, time: '18:00', platforms: null },
    { weekday: 4, time: '18:00', platforms: null },
  ],
  waiting: 0,
  version: 1,
  ...its,
})

/** A free slot of that schedule on a day of November 2026. */
export const freeSlot = (day: number): z.input<typeof FreeSlot> => ({
  schedule_id: 1,
  schedule_name: 'Evenings',
  brand_id: 1,
  local: `2026-11-${day}T18:00`,
  timezone: 'Europe/Lisbon',
  at: `2026-11-${day}T18:00:00.000Z`,
  platforms: null,
})

/** These free slots, where the first is the top of the schedule and its end is the second. */
export const nextSlots = (...slots: z.input<typeof FreeSlot>[]): NextSlots => ({
  slots,
  top: slots[0] ? { at: slots[0].at, moves: [] } : null,
  bottom: slots[1] ? { at: slots[1].at, moves: [] } : null,
})
type NextSlots = z.input<typeof scheduleEndpoints.listNextSlots.reply>

/** A new user has these. */
export const overview = (its: Partial<z.input<typeof Overview>> = {}): z.input<typeof Overview> => ({
  first_steps: { brand: false, account: false, video: false, post: false },
  attention: { posts: [], total: 0 },
  next: { posts: [], total: 0 },
  published: [],
  days: Array.from({ length: OVERVIEW_DAYS }, (_, day) => ({
    day: `2026-11-${String(day + 1).padStart(2, '0')}`,
    published: 0,
    failed: 0,
  })),
  timezone: 'Europe/Lisbon',
  ...its,
})

export const posts = (items: readonly z.input<typeof Post>[] = []) => ({
  items: [...items],
  next_cursor: null,
  counts: {
    all: items.length,
    attention: 0,
    scheduled: 0,
    publishing: 0,
    published: 0,
    in_inbox: 0,
    failed: 0,
    cancelled: 0,
  },
})

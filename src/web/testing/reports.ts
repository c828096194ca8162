import type { z } from 'zod'
import type { OwnReport, Report, ReportNumbers } from '#contract/reports.ts'

export const reportNumbers = (its: Partial<ReportNumbers> = {}): ReportNumbers => ({
  videos: 7,
  live: 14,
  views: [
    { platform: 'tiktok', value: 12_400, counted: 5, of: 7 },
    { platform: 'youtube', value: 900, counted: 7, of: 7 },
  ],
  likes: { value: 1_200, counted: 12, of: 14 },
  comments: { value: 80, counted: 14, of: 14 },
  followers_gained: [{ platform: 'youtube', value: 36, counted: 6, of: 7 }],
  ...its,
})

type PostReply = NonNullable<z.input<typeof Report>['best']>

export const reportPost = (its: Partial<PostReply> = {}): PostReply => ({
  post_id: 12,
  platform: 'tiktok',
  username: 'northwind',
  display_name: 'Northwind Bakery',
  text: 'Lemon tart in one minute',
  poster_url: null,
  url: 'https://www.tiktok.com/@northwind/video/1',
  live_at: '2026-10-14T16:00:00.000Z',
  views: { value: 5_200, missing: null },
  usual: 2_500,
  band: 'above',
  ...its,
})

export const report = (its: Partial<z.input<typeof Report>> = {}): z.input<typeof Report> => ({
  brand_title: 'Northwind',
  month: '2026-10',
  timezone: 'Europe/Lisbon',
  note: '',
  numbers: reportNumbers(),
  last_month: reportNumbers({ videos: 4, live: 10 }),
  best: reportPost(),
  weakest: null,
  ...its,
})

export const ownReport = (its: Partial<z.input<typeof OwnReport>> = {}): z.input<typeof OwnReport> => ({
  ...report(),
  link_expires_at: null,
  ...its,
})

import { accountEndpoints } from '../accounts.ts'
import { brandEndpoints } from '../brands.ts'
import { bulkPostEndpoints } from '../planning/bulk-posts.ts'
import { calendarEndpoints } from '../planning/calendar.ts'
import { csvEndpoints } from '../planning/csv.ts'
import { feedEndpoints } from '../planning/feeds.ts'
import { scheduleEndpoints } from '../planning/schedules.ts'
import { deliveryEndpoints } from '../deliveries.ts'
import { draftEndpoints } from '../drafts.ts'
import { helpEndpoints } from '../help.ts'
import { notificationEndpoints } from '../notifications.ts'
import { overviewEndpoints } from '../overview.ts'
import { operatorEndpoints } from '../operator.ts'
import { pauseEndpoints } from '../planning/pauses.ts'
import { postEndpoints } from '../posts.ts'
import { settingsEndpoints } from '../settings.ts'
import { uploadEndpoints } from '../uploads.ts'
import { userEndpoints } from '../users.ts'
import { pictureEndpoints, videoEndpoints } from '../videos.ts'

/** Every call of the API, under `/api/v1`. */
export const API = {
  ...settingsEndpoints,
  ...helpEndpoints,
  ...userEndpoints,
  ...brandEndpoints,
  ...accountEndpoints,
  ...videoEndpoints,
  ...uploadEndpoints,
  ...pictureEndpoints,
  ...postEndpoints,
  ...bulkPostEndpoints,
  ...draftEndpoints,
  ...overviewEndpoints,
  ...scheduleEndpoints,
  ...calendarEndpoints,
  ...csvEndpoints,
  ...feedEndpoints,
  ...deliveryEndpoints,
  ...notificationEndpoints,
  ...pauseEndpoints,
  ...operatorEndpoints,
} as const

export type Api = typeof API
export type EndpointName = keyof Api

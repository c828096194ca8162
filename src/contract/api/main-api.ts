import { accountEndpoints } from '../accounts.ts'
import { brandEndpoints } from '../brands.ts'
import { calendarEndpoints } from '../planning/calendar.ts'
import { scheduleEndpoints } from '../planning/schedules.ts'
import { deliveryEndpoints } from '../deliveries.ts'
import { notificationEndpoints } from '../notifications.ts'
import { overviewEndpoints } from '../overview.ts'
import { postEndpoints } from '../posts.ts'
import { settingsEndpoints } from '../settings.ts'
import { uploadEndpoints } from '../uploads.ts'
import { userEndpoints } from '../users.ts'
import { videoEndpoints } from '../videos.ts'

/** The calls of pages that everybody opens; `RARE_API` has the others, which pages load on demand. */
export const MAIN_API = {
  ...settingsEndpoints,
  ...userEndpoints,
  ...brandEndpoints,
  ...accountEndpoints,
  ...videoEndpoints,
  ...uploadEndpoints,
  ...postEndpoints,
  ...overviewEndpoints,
  ...scheduleEndpoints,
  ...calendarEndpoints,
  ...deliveryEndpoints,
  ...notificationEndpoints,
} as const

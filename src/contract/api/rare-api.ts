import { admittanceEndpoints } from '../admittance.ts'
import { apiKeyEndpoints } from '../api-keys.ts'
import { draftEndpoints } from '../drafts.ts'
import { exportEndpoints } from '../export.ts'
import { helpEndpoints } from '../help.ts'
import { oauthEndpoints } from '../oauth.ts'
import { operatorEndpoints } from '../operator.ts'
import { serverUserEndpoints } from '../server-users.ts'
import { bulkPostEndpoints } from '../planning/bulk-posts.ts'
import { dryRunEndpoints } from '../planning/dry-run.ts'
import { csvEndpoints } from '../planning/csv.ts'
import { feedEndpoints } from '../planning/feeds.ts'
import { pauseEndpoints } from '../planning/pauses.ts'
import { fetchVideoEndpoints, pictureEndpoints } from '../videos.ts'
import { presetEndpoints } from '../presets.ts'
import { reportEndpoints } from '../reports.ts'
import { resultsEndpoints } from '../results.ts'
import { webhookEndpoints } from '../webhooks.ts'

/** The calls of pages that few open, and of actions that are rare. */
export const RARE_API = {
  ...helpEndpoints,
  ...draftEndpoints,
  ...bulkPostEndpoints,
  ...pauseEndpoints,
  ...csvEndpoints,
  ...dryRunEndpoints,
  ...exportEndpoints,
  ...feedEndpoints,
  ...fetchVideoEndpoints,
  ...pictureEndpoints,
  ...presetEndpoints,
  ...resultsEndpoints,
  ...reportEndpoints,
  ...apiKeyEndpoints,
  ...oauthEndpoints,
  ...webhookEndpoints,
  ...operatorEndpoints,
  ...serverUserEndpoints,
  ...admittanceEndpoints,
} as const

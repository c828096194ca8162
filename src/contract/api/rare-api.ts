import { operatorEndpoints } from '../operator.ts'
import { serverUserEndpoints } from '../server-users.ts'
import { csvEndpoints } from '../planning/csv.ts'
import { feedEndpoints } from '../planning/feeds.ts'

/** The calls of pages that few open. */
export const RARE_API = {
  ...csvEndpoints,
  ...feedEndpoints,
  ...operatorEndpoints,
  ...serverUserEndpoints,
} as const

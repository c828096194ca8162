import { z } from 'zod'
import { parseJson } from '../../kit/http.ts'
import type { Usage } from '../../kit/platform.ts'

const Figures = z.object({
  call_count: z.number().optional(),
  total_time: z.number().optional(),
  total_cputime: z.number().optional(),
})
type Figures = z.infer<typeof Figures>

/** Graph API, "Rate Limits": one entry per business object, also of other products. */
const Business = z.record(
  z.string(),
  z.array(
    Figures.extend({
      type: z.string().default('instagram'),
      estimated_time_to_regain_access: z.number().optional(),
    }),
  ),
)

/**
 * Reads `X-App-Usage` and `X-Business-Use-Case-Usage`: percent of a rolling hour. Meta does not document which of the two
 * graph.instagram.com sends. Missing or unreadable figures are `null`.
 */
export function readUsage(headers: { get(name: string): string | null }): Usage {
  const app = Figures.safeParse(parsed(headers.get('x-app-usage')))
  const business = Business.safeParse(parsed(headers.get('x-business-use-case-usage')))
  const entries = business.success
    ? Object.values(business.data)
        .flat()
        .filter(({ type }) => type === 'instagram')
    : []
  return {
    appPercent: highest(app.success ? [app.data] : []),
    accountPercent: highest(entries),
    regainS: Math.max(0, ...entries.map((entry) => (entry.estimated_time_to_regain_access ?? 0) * 60)),
  }
}

const parsed = (header: string | null): unknown => (header === null ? undefined : parseJson(header, []))

function highest(entries: readonly Figures[]): number | null {
  const told = entries
    .flatMap((entry) => [entry.call_count, entry.total_time, entry.total_cputime])
    .filter((figure) => figure !== undefined)
  return told.length === 0 ? null : Math.max(...told)
}

import { z } from 'zod'
import { parseJson } from '../http.ts'

/**
 * How much of an allowance of calls is used up, as Instagram tells it beside any answer, also one that succeeds. Percent of
 * a rolling hour; `null`: not told. Which of the two headers graph.instagram.com sends is not documented.
 */
export type Usage = {
  /** Of all that this server's app may do. */
  readonly appPercent: number | null
  /** Of what may be done for this account. */
  readonly accountPercent: number | null
  /** Until calls for this account are answered again; 0: they are. */
  readonly regainS: number
}

const Figures = z.object({
  call_count: z.number().optional(),
  total_time: z.number().optional(),
  total_cputime: z.number().optional(),
})
type Figures = z.infer<typeof Figures>

/** Graph API, "Rate Limits": an entry for each business object, of which other products have some too. */
const Business = z.record(
  z.string(),
  z.array(
    Figures.extend({
      type: z.string().default('instagram'),
      estimated_time_to_regain_access: z.number().optional(),
    }),
  ),
)

/** Reads `X-App-Usage` and `X-Business-Use-Case-Usage`. What is missing or cannot be read tells nothing. */
export function usageOf(headers: { get(name: string): string | null }): Usage {
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
    // "in minutes"
    regainS: Math.max(0, ...entries.map((entry) => (entry.estimated_time_to_regain_access ?? 0) * 60)),
  }
}

const parsed = (header: string | null): unknown => (header === null ? undefined : parseJson(header, []))

/** The platform stops at whichever of the figures reaches 100 first. */
function highest(entries: readonly Figures[]): number | null {
  const told = entries
    .flatMap((entry) => [entry.call_count, entry.total_time, entry.total_cputime])
    .filter((figure) => figure !== undefined)
  return told.length === 0 ? null : Math.max(...told)
}

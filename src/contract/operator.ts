import { z } from 'zod'
import { endpoint } from './http/endpoint.ts'
import { OPERATOR_ACTS_PAGE } from './limits.ts'

/** What changed, by the names of the fields. Secrets and links are never in it. */
const ActFields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable()

export const ActKind = z.enum(['operator_granted', 'operator_revoked', 'reset_link_made'])
export type ActKind = z.infer<typeof ActKind>

export const OperatorAct = z.object({
  act_id: z.int(),
  at: z.iso.datetime(),
  operator: z
    .string()
    .nullable()
    .describe("The operator's address. null: somebody at the server's command line."),
  act: ActKind,
  subject: z.string().describe('The address of the user, or the name of the setting, that it was done to.'),
  before: ActFields,
  after: ActFields,
})
export type OperatorAct = z.infer<typeof OperatorAct>

export const operatorEndpoints = {
  listOperatorActs: endpoint({
    method: 'GET',
    path: '/server/acts',
    tag: 'Server',
    summary: `List what operators did on this server, latest first, ${OPERATOR_ACTS_PAGE} at a time`,
    auth: 'operator',
    query: z.object({
      before: z.coerce
        .number('This is not the id of an act.')
        .pipe(z.int('This is not the id of an act.').positive('This is not the id of an act.'))
        .optional()
        .describe('The id of the last act of the previous page.'),
    }),
    status: 200,
    reply: z.object({ items: z.array(OperatorAct), more: z.boolean() }),
    problems: [],
  }),
} as const

import { z } from 'zod'
import { DecidedRestored, DecideRestored } from './deliveries.ts'
import { endpoint } from './http/endpoint.ts'
import { OPERATOR_ACTS_PAGE } from './limits.ts'
import { PlatformId } from './platforms/index.ts'
import { PlatformMode } from './settings.ts'

/** The fields that changed, by their names. Secrets and links are never among them. */
const ActFields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable()

/** `note`: good to know; `warning`: it needs a hand soon; `error`: something does not work. */
export const Severity = z.enum(['ok', 'note', 'warning', 'error'])
export type Severity = z.infer<typeof Severity>

export const ServerCheck = z.object({
  id: z.string().describe('The name of the check.'),
  title: z.string(),
  owner: z.enum(['operator', 'user']).describe('Who can mend it.'),
  severity: Severity,
  sentence: z.string().describe('What was found, as a sentence.'),
  remedy: z.string().nullable().describe('What to do. null: nothing.'),
  link: z.string().nullable().describe('A page that helps: an address, or a place in the documents.'),
})
export type ServerCheck = z.infer<typeof ServerCheck>

const Moment = z.iso.datetime().nullable()

export const ServerFacts = z.object({
  version: z.string(),
  queue: z.object({
    waiting: z
      .int()
      .describe('Deliveries whose time has come and that no worker has taken yet; counted up to 1,000.'),
    oldest_at: Moment.describe('Since when the oldest of them waits.'),
    running: z.int().describe('Deliveries that a worker is at now.'),
  }),
  processes: z.array(
    z.object({
      process_id: z.uuid(),
      role: z.enum(['all', 'web', 'worker']),
      host: z.string().describe('The name of its machine.'),
      version: z.string(),
      started_at: z.iso.datetime(),
      seen_at: z.iso.datetime().describe('Its last heartbeat; there is one each minute.'),
    }),
  ),
  database: z.object({ version: z.string(), bytes: z.int() }),
  videos: z.object({
    count: z.int(),
    bytes: z.int(),
    bytes_in_30_days: z.int().describe('The size of those that came within the last 30 days.'),
    room_bytes: z.int().nullable().describe('What may still be stored. null: a bucket, which does not tell.'),
  }),
  mails: z.object({
    server: z.boolean().describe('false: no mail server is set.'),
    waiting: z.int(),
    failing: z.int().describe('Those that were tried and not taken, and are tried again.'),
    oldest_failing_at: Moment,
  }),
  backups: z.object({ on: z.boolean(), last_at: Moment }),
  held_after_restore: z.int().describe('Deliveries that are held because the data was restored or copied.'),
  users: z.int(),
})
export type ServerFacts = z.infer<typeof ServerFacts>

/** `kept`: there is no mail server, so it is a file on the server. */
export const TestMail = z.object({ result: z.enum(['sent', 'kept', 'failed']), message: z.string() })
export type TestMail = z.infer<typeof TestMail>

export const ActKind = z.enum([
  'invitation_made',
  'invitation_revoked',
  'operator_granted',
  'operator_revoked',
  'platform_keys_removed',
  'platform_keys_set',
  'reset_link_made',
  'reset_link_sent',
  'restored_decided',
  'signup_set',
  'test_mail_sent',
  'user_deleted',
  'user_disabled',
  'user_enabled',
  'user_logged_out',
  'user_quota_set',
])
export type ActKind = z.infer<typeof ActKind>

export const OperatorAct = z.object({
  act_id: z.int(),
  at: z.iso.datetime(),
  operator: z
    .string()
    .nullable()
    .describe(
      "The operator's address, or the name of the provider whose claim did it. null: somebody at the server's command line.",
    ),
  act: ActKind,
  subject: z.string().describe('The address of the user, or the name of the setting, that it was done to.'),
  before: ActFields,
  after: ActFields,
})
export type OperatorAct = z.infer<typeof OperatorAct>

/** How a platform's app is set up on this server. */
export const PlatformSetup = z.object({
  platform: PlatformId,
  mode: PlatformMode,
  fixed: z
    .boolean()
    .describe('true if the environment has the keys of the app, so that none can be entered.'),
  accounts: z.int().describe('Linked accounts of all users, which must be linked again with another app.'),
  settings: z.array(
    z.object({
      variable: z.string().describe('The name that it has in the environment.'),
      title: z.string(),
      kind: z.enum(['text', 'secret', 'switch']),
      required: z.boolean(),
      source: z.enum(['environment', 'entered']).nullable().describe('null: it is not set.'),
      value: z
        .string()
        .nullable()
        .describe('`true` or `false` of a switch. null: not set, a secret, or a key of the environment.'),
    }),
  ),
})
export type PlatformSetup = z.infer<typeof PlatformSetup>

const byPlatform = z.object({ platform: PlatformId })

export const operatorEndpoints = {
  getServer: endpoint({
    method: 'GET',
    path: '/server',
    tag: 'Server',
    summary: 'Get what the server has and does: queue, processes, database, videos, mails and backups',
    auth: 'operator',
    status: 200,
    reply: ServerFacts,
    problems: [],
  }),
  listServerChecks: endpoint({
    method: 'GET',
    path: '/server/checks',
    tag: 'Server',
    summary: 'Check the server, and list what was found: what needs a hand comes first',
    auth: 'operator',
    query: z.object({
      fresh: z
        .enum(['true'])
        .optional()
        .describe('Check again, instead of telling what was found within the last minute.'),
    }),
    status: 200,
    reply: z.object({ checked_at: z.iso.datetime(), items: z.array(ServerCheck) }),
    problems: [],
  }),
  sendTestMail: endpoint({
    method: 'POST',
    path: '/server/test-mail',
    tag: 'Server',
    summary: "Send a test mail to the operator's own address",
    auth: 'operator',
    status: 200,
    reply: TestMail,
    problems: [],
  }),
  decideAllRestored: endpoint({
    method: 'POST',
    path: '/server/restored',
    tag: 'Server',
    summary:
      "Decide at once what becomes of all users' deliveries that are held because the data was restored or copied",
    auth: 'operator',
    body: DecideRestored,
    status: 200,
    reply: DecidedRestored,
    problems: ['invalid'],
  }),
  listPlatformSetups: endpoint({
    method: 'GET',
    path: '/server/platforms',
    tag: 'Server',
    summary: "Show how the platforms' apps are set up. Secrets are never returned",
    auth: 'operator',
    status: 200,
    reply: z.array(PlatformSetup),
    problems: [],
  }),
  setPlatformKeys: endpoint({
    method: 'PUT',
    path: '/server/platforms/:platform/keys',
    tag: 'Server',
    summary:
      "Enter the keys of a platform's app, or forget them. They are in force at once, and within three seconds in other processes",
    auth: 'operator',
    params: byPlatform,
    body: z.object({
      keys: z
        .record(z.string().max(100), z.string().max(1000))
        .nullable()
        .describe('Values by variable. A secret that is left out stays as it is. null: forget all of them.'),
    }),
    status: 200,
    reply: PlatformSetup,
    problems: ['invalid', 'conflict'],
  }),
  tryPlatformKeys: endpoint({
    method: 'POST',
    path: '/server/platforms/:platform/try',
    tag: 'Server',
    summary: 'Ask a platform whether it knows the app, by a log-in that it must refuse',
    auth: 'operator',
    params: byPlatform,
    status: 200,
    reply: z.object({ result: z.enum(['known', 'unknown', 'unclear']), message: z.string() }),
    problems: ['invalid', 'platform_off'],
  }),
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

import { z } from 'zod'
import { SignUpMode } from '#contract/settings.ts'
import { Email } from '#contract/users.ts'
import { DEFAULT_POLICY, parsePolicy } from '#identity/credentials/policy.ts'
import { isNetwork } from '#base/ip-address.ts'
import { StartError } from '#base/start-error.ts'

/** One line with the variable and its accepted values. Secrets are not repeated. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError'
}

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
export type LogLevel = z.infer<typeof LogLevel>

const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max))

const port = wholeNumber(1, 65_535)
const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const origin = z
  .url({ protocol: /^https?$/ })
  .refine((value) => /^https?:\/\/[^/?#@]+\/?$/.test(value))
  .transform((value) => new URL(value).origin)
const text = z.string().trim().min(1)
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
const list = text.transform((value) => value.split(',').map((item) => item.trim()))

const AMOUNT = /^\d{1,6}(\.\d{1,3})?(MB|GB|TB)$/

/** @returns bytes; null for anything else than an amount such as 500MB, 50GB or 1.5TB */
export const parseAmount = (amount: string): number | null => (AMOUNT.test(amount) ? toBytes(amount) : null)

const toBytes = (amount: string): number =>
  Math.round(Number.parseFloat(amount) * (amount.endsWith('TB') ? 1e12 : amount.endsWith('GB') ? 1e9 : 1e6))

/** A proxy on this machine is always trusted. */
const LOOPBACK = 'loopback'
const proxies = z.union([
  z
    .string()
    .regex(/^([1-9]|10)$/)
    .transform(Number),
  list.pipe(z.array(z.string().refine(isNetwork))).transform((networks) => [LOOPBACK, ...networks]),
])

/** A host name or an IPv4 address, without port. */
const host = z
  .string()
  .toLowerCase()
  .regex(/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/)
const passwordPolicy = text.transform((value, context) => {
  const policy = parsePolicy(value)
  if (policy) return policy
  context.addIssue('not a policy')
  return z.NEVER
})

/** Each description completes "must be" in error messages. */
const Variables = z.object({
  NODE_ENV: z.string().optional().describe('production or not set'),
  PORT: port.optional().describe('a port: a whole number from 1 to 65535'),
  HOST: text.default('127.0.0.1').describe('an address to listen at, such as 127.0.0.1 or 0.0.0.0'),
  PUBLIC_URL: origin.optional().describe('an origin without a path, such as https://reelay.example.com'),
  PUBLIC_URL_CHECKER: z
    .url({ protocol: /^https?$/ })
    .refine((value) => value.includes('{url}') || value.includes('%7Burl%7D'))
    .optional()
    .describe('an address with {url} in it, such as https://check.example.com/?address={url}'),
  TRUST_PROXY: proxies
    .default([LOOPBACK])
    .describe(
      'how many proxies stand in front, from 1 to 10, or their addresses, such as 10.0.0.0/8, separated by commas',
    ),
  MAX_CONNECTIONS: z
    .string()
    .regex(/^\d{2,6}$/)
    .transform(Number)
    .default(5_000)
    .describe('a number of connections from 10 to 999999'),
  DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.int().max(60))
    .default(0)
    .describe('a whole number of seconds from 0 to 60'),
  DATA_DIR: text.default('./data').describe('a folder'),
  HOME: z.string().optional().describe('a folder'),
  XDG_STATE_HOME: z.string().optional().describe('a folder'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('an address such as postgres://user:password@host:5432/database'),
  DATABASE_DIRECT_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('an address such as postgres://user:password@host:5432/database, past the pooler'),
  STORAGE_URL: z
    .url({ protocol: /^(file|s3)$/ })
    .optional()
    .describe('a folder such as file:///srv/reelay or a bucket such as s3://bucket/prefix'),
  STORAGE_QUOTA: z
    .string()
    .regex(AMOUNT)
    .transform(toBytes)
    .optional()
    .describe('an amount such as 500MB, 50GB or 1.5TB'),
  BACKUP_DIR: z.string().optional().describe('a folder, or a bucket such as s3://bucket/prefix'),
  BACKUP_KEEP: wholeNumber(1, 1000).default(7).describe('a whole number from 1 to 1000'),
  MEDIA_RETENTION_DAYS: wholeNumber(1, 3650).optional().describe('a whole number of days from 1 to 3650'),
  OVERDUE_GRACE_MINUTES: wholeNumber(5, 43_200)
    .default(60)
    .describe('a whole number of minutes from 5 to 43200'),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/)
    .optional()
    .describe('16 or more letters, digits and signs without spaces'),
  ROLE: z.enum(['all', 'web', 'worker']).default('all').describe('all, web or worker'),
  PRACTICE: z.enum(['on', 'off', 'shared']).optional().describe('on, off or shared'),
  PRACTICE_PORT: port.default(4401).describe('a port: a whole number from 1 to 65535'),
  PRACTICE_LIMITS: z.enum(['on', 'off']).default('on').describe('on or off'),
  SIGNUP: SignUpMode.optional().describe('open, closed or invited'),
  OPERATOR_EMAIL: Email.optional().describe('an email address'),
  IDENTITY: z.enum(['embedded', 'firebase']).default('embedded').describe('embedded or firebase'),
  PASSWORD_POLICY: passwordPolicy
    .default(DEFAULT_POLICY)
    .describe(
      'a list such as min:10,max:128,lowercase,uppercase,numeric,special,enforce:off or …,upgrade (min from 6 to 30, max up to 4096; upgrade not with enforce:off)',
    ),
  IDENTITY_ENUMERATION_PROTECTION: onOff.default(true).describe('on or off'),
  IDENTITY_SELF_DELETION: onOff.default(true).describe('on or off'),
  IDENTITY_AUTHORIZED_DOMAINS: list
    .pipe(z.array(host))
    .default([])
    .describe('hosts such as example.com or example.com:8443, separated by commas'),
  IDENTITY_KEY_DAYS: wholeNumber(1, 3650).default(90).describe('a whole number of days from 1 to 3650'),
  OIDC_PROVIDERS: text.optional().describe('a JSON list of providers'),
  FIREBASE_API_KEY: text.optional().describe("the Firebase project's web API key"),
  FIREBASE_PROJECT_ID: text.optional().describe("the Firebase project's id"),
  FIREBASE_AUTH_DOMAIN: text.optional().describe('a host such as project.firebaseapp.com'),
  TOKEN_SYNC_URL: text.optional().describe('a path such as /session, or an address at PUBLIC_URL'),
  TIKTOK_CLIENT_KEY: text.optional().describe("the TikTok app's client key"),
  TIKTOK_CLIENT_SECRET: text.optional().describe("the TikTok app's client secret"),
  TIKTOK_APP_AUDITED: flag.optional().describe('true or false'),
  TIKTOK_AUDIT_FORM: flag.default(false).describe('true or false'),
  INSTAGRAM_APP_ID: z
    .string()
    .regex(/^\d{5,20}$/)
    .optional()
    .describe('the Instagram app ID: digits only'),
  INSTAGRAM_APP_SECRET: text.optional().describe("the Instagram app's secret"),
  INSTAGRAM_META_APP_SECRET: text.optional().describe("the Meta app's own secret"),
  YOUTUBE_CLIENT_ID: text.optional().describe("the Google app's client ID"),
  YOUTUBE_CLIENT_SECRET: text.optional().describe("the Google app's client secret"),
  YOUTUBE_APP_PUBLISHED: flag.default(false).describe('true or false'),
  YOUTUBE_APP_VERIFIED: flag.default(false).describe('true or false'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('an address such as smtps://user:password@host:465'),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/)
    .optional()
    .describe('a sender such as Reelay <reelay@example.com>'),
  SECRET_KEY: z.string().min(32).optional().describe('32 or more random characters'),
  PRIVATE_ADDRESSES: z.enum(['allow', 'refuse']).default('refuse').describe('allow or refuse'),
  OAUTH_REGISTRATION: onOff.default(false).describe('on or off'),
  LOG_LEVEL: LogLevel.optional().describe(LogLevel.options.join(', ')),
})
export type Variables = z.infer<typeof Variables>
type Name = keyof Variables

const secrets: ReadonlySet<string> = new Set<Name>([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'STORAGE_URL',
  'OIDC_PROVIDERS',
  'FIREBASE_API_KEY',
  'TIKTOK_CLIENT_KEY',
  'TIKTOK_CLIENT_SECRET',
  'INSTAGRAM_APP_SECRET',
  'INSTAGRAM_META_APP_SECRET',
  'YOUTUBE_CLIENT_SECRET',
  'SMTP_URL',
  'SECRET_KEY',
])

/** @throws ConfigError at the first invalid variable */
export function parseVariables(env: { readonly [name: string]: string | undefined }): Variables {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Variables.safeParse(given)
  if (parsed.success) return parsed.data
  const name = String(parsed.error.issues[0]?.path[0])
  const takes = Object.entries(Variables.shape).find(([known]) => known === name)?.[1].description
  const was = secrets.has(name) ? '' : `, not ${JSON.stringify(given[name])}`
  throw new ConfigError(`${name} must be ${takes}${was}.`)
}

/** Variables with these prefixes are meant for Reelay. */
const OUR_PREFIX = /^(REELAY|TIKTOK|INSTAGRAM|YOUTUBE|IDENTITY|OIDC|PRACTICE)_/

/** Warns of unknown variables that look like ours. Only a warning: other programs may use similar names. */
export function listUnknownVariables(env: { readonly [name: string]: string | undefined }): string[] {
  const known = Object.keys(Variables.shape)
  return Object.keys(env)
    .filter((name) => !known.includes(name))
    .toSorted()
    .flatMap((name) => {
      const like = findSimilarName(name, known)
      if (like !== null) return [`Unknown variable ${name}; did you mean ${like}?`]
      return OUR_PREFIX.test(name)
        ? [`Unknown variable ${name}: docs/configuration.md lists those that Reelay reads.`]
        : []
    })
}

function findSimilarName(name: string, known: readonly string[]): string | null {
  const upper = name.toUpperCase().replace(/^REELAY_/, '')
  const [closest] = known
    .map((each) => ({ each, distance: editDistance(upper, each) }))
    // Short names of other programs are often this similar.
    .filter(({ each, distance }) => distance <= (each.length < 10 ? 1 : 2))
    .toSorted((a, b) => a.distance - b.distance)
  return closest?.each ?? null
}

/** Counts missing, additional, wrong and swapped letters. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i += 1) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const steps = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)]
      rows[i]?.push(Math.min(...steps, isSwapped ? at(i - 2, j - 2) + 1 : Infinity))
    }
  }
  return at(a.length, b.length)
}

type TextName = { [N in Name]: string extends Variables[N] ? N : never }[Name]

export function readPair(variables: Variables, first: TextName, second: TextName): [string, string] | null {
  if (variables[first] === undefined && variables[second] === undefined) return null
  return [required(variables, first, `where ${second} is`), required(variables, second, `where ${first} is`)]
}

export function required(variables: Variables, name: TextName, where: string): string {
  const value = variables[name]
  if (value === undefined) throw new ConfigError(`${name} must be set ${where}.`)
  return value
}

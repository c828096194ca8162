import path from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { z } from 'zod'
import { callbackPath } from '#contract/addresses.ts'
import {
  INSTAGRAM_LIVE,
  TIKTOK_LIVE,
  type InstagramConfig as InstagramAdapterConfig,
  type TikTokConfig as TikTokAdapterConfig,
} from '#platforms/registry.ts'
import type { Rules } from '#identity/core/rules.ts'
import { DEFAULT_POLICY, readPolicy } from '#identity/policy.ts'
import { isNetwork } from '#base/ip-address.ts'
import { StartError } from '#base/start-error.ts'

/** Everything that the environment decides, read once at the start. Nothing else reads `process.env`. */
export type Config = {
  readonly production: boolean
  readonly host: string
  readonly port: number
  /** Origin at which browsers and platforms reach us, without a slash at its end. */
  readonly publicUrl: string
  /** Who is believed when they say for whom they ask: so many proxies in a row, or these addresses. */
  readonly trustedProxies: number | readonly string[]
  /** Open connections, those of event streams and uploads included. */
  readonly maxConnections: number
  /** Absolute. */
  readonly dataDir: string
  /** `null`: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null
  readonly storage: StorageConfig
  readonly role: { readonly web: boolean; readonly worker: boolean }
  readonly practice: { readonly on: boolean; readonly port: number; readonly url: string }
  readonly signup: 'open' | 'closed'
  readonly identity: IdentityConfig
  /** Where browsers tell who is signed in: a path, or an address at `publicUrl`. */
  readonly tokenSyncUrl: string | null
  readonly platforms: { readonly tiktok: TikTokConfig; readonly instagram: InstagramConfig }
  /** `null`: mail goes to the mailbox in `dataDir`. */
  readonly smtpUrl: string | null
  readonly mailFrom: string
  /** What seals tokens and sessions. `null`: made once and kept in `dataDir`. */
  readonly secretKey: string | null
  readonly logLevel: LogLevel
}

/** A folder that every process shares. */
export type StorageConfig = { readonly dir: string }

export type IdentityConfig =
  | {
      readonly mode: 'embedded'
      /** For so many days a key signs before the next one does. */
      readonly keyDays: number
      readonly rules: Omit<Rules, 'signup'>
    }
  | {
      readonly mode: 'firebase'
      readonly apiKey: string
      readonly projectId: string
      readonly authDomain: string
    }

/** What is the server's own business with a platform; the rest is its adapter's. */
type Linking = {
  /** Registered at the platform to the letter. */
  readonly redirectUri: string
}

export type TikTokConfig =
  | { readonly mode: 'off' }
  | (Linking &
      TikTokAdapterConfig & {
        /** The form preselects nothing, as TikTok's audit demands. */
        readonly auditForm: boolean
      })

export type InstagramConfig = { readonly mode: 'off' } | (Linking & InstagramAdapterConfig)

const LogLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
export type LogLevel = z.infer<typeof LogLevel>

/** One line that names the variable and what it takes. Values of secrets are not repeated. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError'
}

/**
 * @param env the process's environment; an empty value counts as not set.
 * @throws ConfigError at the first variable that cannot be used.
 */
export function readConfig(env: { readonly [name: string]: string | undefined }): Config {
  const variables = parse(env)
  const { DATABASE_URL: databaseUrl = null, SECRET_KEY: secretKey = null } = variables
  if (databaseUrl !== null && secretKey === null) {
    throw new ConfigError(
      'SECRET_KEY must be set where DATABASE_URL is: 32 or more random characters, the same for every process.',
    )
  }
  const dataDir = path.resolve(variables.DATA_DIR)
  const publicUrl = variables.PUBLIC_URL ?? `http://localhost:${variables.PORT}`
  const production = variables.NODE_ENV === 'production'
  const practice = {
    on: (variables.PRACTICE ?? (production ? 'off' : 'on')) === 'on',
    port: variables.PRACTICE_PORT,
    url: `http://localhost:${variables.PRACTICE_PORT}`,
  }
  if (practice.on && practice.port === variables.PORT) {
    throw new ConfigError(`PRACTICE_PORT must differ from PORT: both are ${practice.port}.`)
  }
  return {
    production,
    host: variables.HOST,
    port: variables.PORT,
    publicUrl,
    trustedProxies: variables.TRUST_PROXY,
    maxConnections: variables.MAX_CONNECTIONS,
    dataDir,
    databaseUrl,
    storage: readStorage(variables, dataDir),
    role: { web: variables.ROLE !== 'worker', worker: variables.ROLE !== 'web' },
    practice,
    signup: variables.SIGNUP,
    identity: readIdentity(variables),
    tokenSyncUrl: readTokenSync(variables, publicUrl),
    platforms: {
      tiktok: readTikTok(variables, publicUrl, practice),
      instagram: readInstagram(variables, publicUrl, practice),
    },
    smtpUrl: variables.SMTP_URL ?? null,
    mailFrom: variables.MAIL_FROM ?? `Reelay <no-reply@${new URL(publicUrl).hostname}>`,
    secretKey,
    logLevel: variables.LOG_LEVEL,
  }
}

// ---- each variable by itself ----

const port = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(65_535))
const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const origin = z
  .url({ protocol: /^https?$/ })
  .refine((value) => /^https?:\/\/[^/?#@]+\/?$/.test(value))
  .transform((value) => new URL(value).origin)
const text = z.string().trim().min(1)
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
const list = text.transform((value) => value.split(',').map((item) => item.trim()))

/** A proxy on this machine is always believed. */
const LOOPBACK = 'loopback'
const proxies = z.union([
  z
    .string()
    .regex(/^([1-9]|10)$/)
    .transform(Number),
  list.pipe(z.array(z.string().refine(isNetwork))).transform((networks) => [LOOPBACK, ...networks]),
])

/** A host name, or an IPv4 address, without port. */
const host = z
  .string()
  .toLowerCase()
  .regex(/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/)
const passwordPolicy = text.transform((value, context) => {
  const policy = readPolicy(value)
  if (policy) return policy
  context.addIssue('not a policy')
  return z.NEVER
})

/** What each takes, in words that follow "must be". */
const Variables = z.object({
  NODE_ENV: z.string().optional().describe('production or not set'),
  PORT: port.default(4400).describe('a port: a whole number from 1 to 65535'),
  HOST: text.default('127.0.0.1').describe('an address to listen at, such as 127.0.0.1 or 0.0.0.0'),
  PUBLIC_URL: origin.optional().describe('an origin without a path, such as https://reelay.example.com'),
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
  DATA_DIR: text.default('./data').describe('a folder'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('an address such as postgres://user:password@host:5432/database'),
  STORAGE_URL: z
    .url({ protocol: /^file$/ })
    .optional()
    .describe('an address of a folder such as file:///srv/reelay'),
  ROLE: z.enum(['all', 'web', 'worker']).default('all').describe('all, web or worker'),
  PRACTICE: z.enum(['on', 'off']).optional().describe('on or off'),
  PRACTICE_PORT: port.default(4401).describe('a port: a whole number from 1 to 65535'),
  PRACTICE_LIMITS: z.enum(['on', 'off']).default('on').describe('on or off'),
  SIGNUP: z.enum(['open', 'closed']).default('open').describe('open or closed'),
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
    .describe('hosts such as example.com, separated by commas'),
  IDENTITY_KEY_DAYS: z
    .string()
    .regex(/^\d+$/)
    .transform(Number)
    .pipe(z.int().min(1).max(3650))
    .default(90)
    .describe('a whole number of days from 1 to 3650'),
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
  LOG_LEVEL: LogLevel.default('info').describe(LogLevel.options.join(', ')),
})
type Variables = z.infer<typeof Variables>
type Name = keyof Variables

const secrets: ReadonlySet<string> = new Set<Name>([
  'DATABASE_URL',
  'STORAGE_URL',
  'FIREBASE_API_KEY',
  'TIKTOK_CLIENT_KEY',
  'TIKTOK_CLIENT_SECRET',
  'INSTAGRAM_APP_SECRET',
  'INSTAGRAM_META_APP_SECRET',
  'SMTP_URL',
  'SECRET_KEY',
])

function parse(env: { readonly [name: string]: string | undefined }): Variables {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Variables.safeParse(given)
  if (parsed.success) return parsed.data
  const name = String(parsed.error.issues[0]?.path[0])
  const takes = Object.entries(Variables.shape).find(([known]) => known === name)?.[1].description
  const was = secrets.has(name) ? '' : `, not ${JSON.stringify(given[name])}`
  throw new ConfigError(`${name} must be ${takes}${was}.`)
}

// ---- what goes together ----

function readStorage(variables: Variables, dataDir: string): StorageConfig {
  const url = new URL(variables.STORAGE_URL ?? pathToFileURL(path.join(dataDir, 'media')))
  if (url.host !== '') throw new ConfigError('STORAGE_URL must be file:///folder, with three slashes.')
  return { dir: fileURLToPath(url) }
}

function readIdentity(variables: Variables): IdentityConfig {
  if (variables.IDENTITY === 'embedded') {
    const rules = {
      policy: variables.PASSWORD_POLICY,
      hidesWhoIsKnown: variables.IDENTITY_ENUMERATION_PROTECTION,
      selfDeletion: variables.IDENTITY_SELF_DELETION,
      authorizedDomains: variables.IDENTITY_AUTHORIZED_DOMAINS,
    }
    return { mode: 'embedded', keyDays: variables.IDENTITY_KEY_DAYS, rules }
  }
  const needed = 'where IDENTITY is firebase'
  return {
    mode: 'firebase',
    apiKey: required(variables, 'FIREBASE_API_KEY', needed),
    projectId: required(variables, 'FIREBASE_PROJECT_ID', needed),
    authDomain: required(variables, 'FIREBASE_AUTH_DOMAIN', needed),
  }
}

/** Whoever hears ID tokens can act as their bearers: nobody but what is served at our own origin may. */
function readTokenSync(variables: Variables, publicUrl: string): string | null {
  const { TOKEN_SYNC_URL: given } = variables
  if (given === undefined) return null
  const url = /^(\/|https?:)/.test(given) && URL.canParse(given, publicUrl) ? new URL(given, publicUrl) : null
  if (url?.origin === publicUrl && url.username === '' && url.password === '') return given
  throw new ConfigError(
    `TOKEN_SYNC_URL must be a path such as /session, or an address at ${publicUrl}, not ${JSON.stringify(given)}.`,
  )
}

type Practice = Config['practice']

function readTikTok(variables: Variables, publicUrl: string, practice: Practice): TikTokConfig {
  const keys = readPair(variables, 'TIKTOK_CLIENT_KEY', 'TIKTOK_CLIENT_SECRET')
  const ours = {
    redirectUri: publicUrl + callbackPath('tiktok'),
    auditForm: variables.TIKTOK_AUDIT_FORM,
  }
  if (keys) {
    return {
      clientKey: keys[0],
      clientSecret: keys[1],
      ...ours,
      appAudited: variables.TIKTOK_APP_AUDITED ?? false,
      ...TIKTOK_LIVE,
    }
  }
  if (!practice.on) return { mode: 'off' }
  return {
    mode: 'practice',
    clientKey: 'practice-tiktok-key',
    clientSecret: 'practice-tiktok-secret',
    ...ours,
    appAudited: variables.TIKTOK_APP_AUDITED ?? true,
    ...(variables.PRACTICE_LIMITS === 'off' ? { unlimited: true } : {}),
    authorizeUrl: `${practice.url}/tiktok/v2/auth/authorize/`,
    apiUrl: `${practice.url}/tiktok`,
    uploadHosts: [new URL(practice.url).host],
    postUrl: `${practice.url}/tiktok`,
  }
}

function readInstagram(variables: Variables, publicUrl: string, practice: Practice): InstagramConfig {
  const keys = readPair(variables, 'INSTAGRAM_APP_ID', 'INSTAGRAM_APP_SECRET')
  const redirectUri = publicUrl + callbackPath('instagram')
  if (keys) {
    return {
      appId: keys[0],
      appSecret: keys[1],
      metaAppSecret: variables.INSTAGRAM_META_APP_SECRET ?? null,
      redirectUri,
      ...INSTAGRAM_LIVE,
    }
  }
  if (!practice.on) return { mode: 'off' }
  return {
    mode: 'practice',
    appId: '1000000000000001',
    appSecret: 'practice-instagram-secret',
    metaAppSecret: null,
    redirectUri,
    authorizeUrl: `${practice.url}/instagram/oauth/authorize`,
    apiUrl: `${practice.url}/instagram`,
    graphUrl: `${practice.url}/instagram`,
  }
}

type TextName = { [N in Name]: string extends Variables[N] ? N : never }[Name]

function readPair(variables: Variables, first: TextName, second: TextName): [string, string] | null {
  if (variables[first] === undefined && variables[second] === undefined) return null
  return [required(variables, first, `where ${second} is`), required(variables, second, `where ${first} is`)]
}

function required(variables: Variables, name: TextName, where: string): string {
  const value = variables[name]
  if (value === undefined) throw new ConfigError(`${name} must be set ${where}.`)
  return value
}

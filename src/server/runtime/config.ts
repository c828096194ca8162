import path from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { z } from 'zod'
import { callbackPath } from '#contract/http/addresses.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { SignUpMode } from '#contract/settings.ts'
import {
  INSTAGRAM_LIVE,
  PLATFORM_FACTS,
  TIKTOK_LIVE,
  YOUTUBE_LIVE,
  type InstagramConfig as InstagramAdapterConfig,
  type TikTokConfig as TikTokAdapterConfig,
  type YouTubeConfig as YouTubeAdapterConfig,
} from '#platforms/registry.ts'
import type { Provider } from '#identity/oidc/client.ts'
import type { Rules } from '#identity/core/rules.ts'
import type { StorageConfig } from '../storage/open-storage.ts'
import type { S3Config } from '../storage/bucket.ts'
import {
  ConfigError,
  parseVariables,
  readPair,
  required,
  type LogLevel,
  type Variables,
} from './variables.ts'

/** The environment's settings, read once at the start. Nothing else reads `process.env`. */
export type Config = {
  readonly production: boolean
  readonly host: string
  /** A worker's health endpoint. `null`: a worker without a port has none. */
  readonly port: number | null
  /** The origin for browsers and platforms, without a trailing slash. */
  readonly publicUrl: string
  /** An address that tries another from outside; `{url}` stands for it. `null`: none is known. */
  readonly publicUrlChecker: string | null
  /** Trusted proxies: a hop count or a list of addresses. */
  readonly trustedProxies: number | readonly string[]
  readonly maxConnections: number
  /** A stopping web server still accepts connections for this long (ms). */
  readonly drainMs: number
  readonly dataDir: string
  /** The absolute path for data of this machine. `null`: unknown. */
  readonly stateDir: string | null
  /** `null`: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null
  /** The address of the same database without the pooler. `null`: there is no pooler. */
  readonly databaseDirectUrl: string | null
  readonly storage: StorageConfig
  readonly storageQuota: number | null
  /** A backup is made there each night. `null`: none is. */
  readonly backupDir: StorageConfig | null
  /** How many backups stay. */
  readonly backupKeep: number
  /** A video's file is deleted this many days after its last post has ended. `null`: never. */
  readonly mediaRetentionDays: number | null
  /** Late posts are published automatically up to this delay (ms). */
  readonly overdueGraceMs: number
  /** The process was started with `--hold` and posts nothing. */
  readonly hold: boolean
  readonly role: { readonly web: boolean; readonly worker: boolean }
  /** `isShared`: another process runs them. */
  readonly practice: {
    readonly on: boolean
    readonly isShared: boolean
    readonly port: number
    readonly url: string
  }
  /** null: what an operator chose. */
  readonly signup: SignUpMode | null
  /** Who has this address, confirmed, operates the server. `null`: the first user does. */
  readonly operatorEmail: string | null
  readonly identity: IdentityConfig
  /** The web app posts the user's ID token there: a path, or an address at `publicUrl`. */
  readonly tokenSyncUrl: string | null
  /** Changes while the server runs, when an operator enters keys. */
  readonly platforms: PlatformsConfig
  /** The environment's variables of the platforms, which win over what an operator enters. */
  readonly platformVariables: PlatformVariables
  /** `null`: mail goes to the mailbox in `dataDir`. */
  readonly smtpUrl: string | null
  readonly mailFrom: string
  /** Encrypts tokens and sessions. `null`: generated once and stored in `dataDir`. */
  readonly secretKey: string | null
  /** Webhooks and downloads of videos may also use http addresses and those of private networks. */
  readonly privateAddresses: boolean
  /** Programs may register themselves, for those that cannot describe themselves at an address of their own. */
  readonly oauthRegistration: boolean
  /** Whoever sends it may read `/metrics`. `null`: nobody may. */
  readonly metricsToken: string | null
  readonly logLevel: LogLevel
}

export type IdentityConfig =
  | {
      readonly mode: 'embedded'
      readonly keyDays: number
      readonly rules: Rules
      readonly providers: readonly Provider[]
    }
  | {
      readonly mode: 'firebase'
      readonly apiKey: string
      readonly projectId: string
      readonly authDomain: string
    }

export type PlatformsConfig = {
  readonly tiktok: TikTokConfig
  readonly instagram: InstagramConfig
  readonly youtube: YouTubeConfig
}
export type PlatformVariables = { readonly [variable: string]: string }

type Linking = {
  /** Registered at the platform character by character. */
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

export type YouTubeConfig = { readonly mode: 'off' } | (Linking & YouTubeAdapterConfig)

const DEFAULT_PORT = 4400

/** @param env the process's environment; an empty value counts as not set. @throws ConfigError at the first invalid variable */
export function readConfig(env: { readonly [name: string]: string | undefined }): Config {
  const variables = parseVariables(env)
  const { DATABASE_URL: databaseUrl = null, SECRET_KEY: secretKey = null } = variables
  const { DATABASE_DIRECT_URL: databaseDirectUrl = null } = variables
  if (databaseUrl !== null && secretKey === null) {
    throw new ConfigError(
      'SECRET_KEY must be set where DATABASE_URL is: 32 or more random characters, the same for every process.',
    )
  }
  if (databaseDirectUrl !== null) required(variables, 'DATABASE_URL', 'where DATABASE_DIRECT_URL is')
  const dataDir = path.resolve(variables.DATA_DIR)
  if (variables.ROLE === 'worker')
    required(variables, 'PUBLIC_URL', 'where ROLE is worker: platforms fetch videos at that address')
  const port = variables.PORT ?? (variables.ROLE === 'worker' ? null : DEFAULT_PORT)
  const publicUrl = variables.PUBLIC_URL ?? `http://localhost:${port}`
  const production = variables.NODE_ENV === 'production'
  const practice = {
    on: (variables.PRACTICE ?? (production ? 'off' : 'on')) !== 'off',
    isShared: variables.PRACTICE === 'shared',
    port: variables.PRACTICE_PORT,
    url: `http://localhost:${variables.PRACTICE_PORT}`,
  }
  if (practice.on && practice.port === port) {
    throw new ConfigError(`PRACTICE_PORT must differ from PORT: both are ${practice.port}.`)
  }
  const platformVariables = pickPlatformVariables(env)
  return {
    production,
    host: variables.HOST,
    port,
    publicUrl,
    publicUrlChecker: variables.PUBLIC_URL_CHECKER ?? null,
    trustedProxies: variables.TRUST_PROXY,
    maxConnections: variables.MAX_CONNECTIONS,
    drainMs: variables.DRAIN_SECONDS * 1000,
    dataDir,
    stateDir: readStateDir(variables),
    databaseUrl,
    databaseDirectUrl,
    storage: readStorage(variables, dataDir),
    storageQuota: variables.STORAGE_QUOTA ?? null,
    backupDir: readBackupDir(variables),
    backupKeep: variables.BACKUP_KEEP,
    mediaRetentionDays: variables.MEDIA_RETENTION_DAYS ?? null,
    overdueGraceMs: variables.OVERDUE_GRACE_MINUTES * 60_000,
    hold: false,
    role: { web: variables.ROLE !== 'worker', worker: variables.ROLE !== 'web' },
    practice,
    signup: variables.SIGNUP ?? null,
    operatorEmail: variables.OPERATOR_EMAIL ?? null,
    identity: readIdentity(variables),
    tokenSyncUrl: readTokenSync(variables, publicUrl),
    platforms: readPlatforms(platformVariables, { publicUrl, practice }),
    platformVariables,
    smtpUrl: variables.SMTP_URL ?? null,
    mailFrom: variables.MAIL_FROM ?? `Reelay <no-reply@${new URL(publicUrl).hostname}>`,
    secretKey,
    privateAddresses: variables.PRIVATE_ADDRESSES === 'allow',
    oauthRegistration: variables.OAUTH_REGISTRATION,
    metricsToken: variables.METRICS_TOKEN ?? null,
    logLevel: variables.LOG_LEVEL ?? (production ? 'info' : 'warn'),
  }
}

/** Follows the XDG Base Directory Specification, which ignores relative paths. */
function readStateDir({ XDG_STATE_HOME: given, HOME: home }: Variables): string | null {
  if (given !== undefined && path.isAbsolute(given)) return given
  return home !== undefined && path.isAbsolute(home) ? path.join(home, '.local/state') : null
}

function readStorage(variables: Variables, dataDir: string): StorageConfig {
  const url = new URL(variables.STORAGE_URL ?? pathToFileURL(path.join(dataDir, 'media')))
  if (url.protocol === 's3:') return readS3('STORAGE_URL', url)
  if (url.host !== '') throw new ConfigError('STORAGE_URL must be file:///folder, with three slashes.')
  return { dir: fileURLToPath(url) }
}

function readBackupDir({ BACKUP_DIR: given }: Variables): StorageConfig | null {
  if (given === undefined) return null
  if (!given.startsWith('s3:')) return { dir: path.resolve(given) }
  return readS3('BACKUP_DIR', URL.parse(given) ?? new URL('s3://'))
}

/** `s3://BUCKET/PREFIX?endpoint=&region=&path_style=&profile=` */
function readS3(
  variable: 'STORAGE_URL' | 'BACKUP_DIR',
  { host, pathname, username, searchParams }: URL,
): S3Config {
  if (host === '' || username !== '')
    throw new ConfigError(
      `${variable} must name a bucket, such as s3://bucket/prefix. Its keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  const {
    endpoint = null,
    region = 'us-east-1',
    path_style: pathStyle,
    profile = null,
    ...rest
  } = Object.fromEntries(searchParams)
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw new ConfigError(
      `${variable} takes endpoint, region, path_style and profile, not ${JSON.stringify(unknown)}.`,
    )
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new ConfigError(`${variable}: endpoint must be an address such as https://s3.example.com.`)
  if (pathStyle !== undefined && pathStyle !== 'true' && pathStyle !== 'false')
    throw new ConfigError(`${variable}: path_style must be true or false.`)
  const prefix = decodeURIComponent(pathname).replace(/^\/|\/$/g, '')
  return {
    bucket: host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region,
    // Few others than Amazon name buckets in the host.
    pathStyle: pathStyle === undefined ? endpoint !== null : pathStyle === 'true',
    profile,
  }
}

function readIdentity(variables: Variables): IdentityConfig {
  if (variables.IDENTITY === 'embedded') {
    const rules = {
      policy: variables.PASSWORD_POLICY,
      enumerationProtection: variables.IDENTITY_ENUMERATION_PROTECTION,
      selfDeletion: variables.IDENTITY_SELF_DELETION,
      authorizedDomains: variables.IDENTITY_AUTHORIZED_DOMAINS,
    }
    const { IDENTITY_KEY_DAYS: keyDays, OIDC_PROVIDERS: providers } = variables
    return { mode: 'embedded', keyDays, rules, providers: readProviders(providers) }
  }
  if (variables.OIDC_PROVIDERS !== undefined)
    throw new ConfigError(
      "OIDC_PROVIDERS must not be set where IDENTITY is firebase: the hosted service's console has the providers.",
    )
  const needed = 'where IDENTITY is firebase'
  return {
    mode: 'firebase',
    apiKey: required(variables, 'FIREBASE_API_KEY', needed),
    projectId: required(variables, 'FIREBASE_PROJECT_ID', needed),
    authDomain: required(variables, 'FIREBASE_AUTH_DOMAIN', needed),
  }
}

const oneLine = (maxChars: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxChars)
    .regex(/^\P{Cc}*$/u)

/** Each description completes "must be" in error messages. */
const ProviderEntry = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,31}$/)
    .describe('up to 32 small letters, digits and hyphens'),
  name: oneLine(40).describe('a name of up to 40 characters'),
  issuer: z
    .string()
    .refine(isIssuer)
    .describe('an https address (http only on this machine) without ? and #'),
  client_id: oneLine(500).describe('a text'),
  client_secret: oneLine(1000).describe('a text'),
  scopes: z
    .string()
    .regex(/^openid( [\x21\x23-\x5b\x5d-\x7e]+)*$/)
    .default('openid email profile')
    .describe('openid and further scopes, separated by spaces'),
  operator_claim: z
    .string()
    .regex(/^[^=]+=.+$/)
    .optional()
    .describe('a claim and its value, such as groups=reelay-admins'),
  quota_claim: oneLine(200).optional().describe('the name of a claim'),
  auto: z.boolean().default(false).describe('true or false'),
})

function isIssuer(value: string): boolean {
  const url = URL.parse(value)
  if (!url || url.search !== '' || url.hash !== '' || url.username !== '') return false
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  )
}

/** Messages name a provider by its place in the list, and repeat no value: one may be a secret. */
function readProviders(given: string | undefined): Provider[] {
  if (given === undefined) return []
  const parsed = z.array(ProviderEntry).safeParse(parseJson(given))
  if (!parsed.success) {
    const [place, field] = parsed.error.issues[0]?.path ?? []
    const shape = Object.entries(ProviderEntry.shape).find(([name]) => name === field)?.[1]
    throw new ConfigError(
      typeof place !== 'number'
        ? 'OIDC_PROVIDERS must be a JSON list of providers.'
        : shape
          ? `OIDC_PROVIDERS: ${String(field)} of provider ${place + 1} must be ${shape.description}.`
          : `OIDC_PROVIDERS: provider ${place + 1} takes ${Object.keys(ProviderEntry.shape).join(', ')}.`,
    )
  }
  const providers = parsed.data.map(({ client_id, client_secret, operator_claim, quota_claim, ...rest }) => ({
    ...rest,
    clientId: client_id,
    clientSecret: client_secret,
    quotaClaim: quota_claim ?? null,
    operatorClaim: operator_claim === undefined ? null : readClaim(operator_claim),
  }))
  if (new Set(providers.map(({ id }) => id)).size < providers.length)
    throw new ConfigError('OIDC_PROVIDERS: each provider needs an id of its own.')
  if (providers.length > 1 && providers.some(({ auto }) => auto))
    throw new ConfigError('OIDC_PROVIDERS: auto is for a single provider.')
  return providers
}

/** A claim's name has no `=`, its value may. */
function readClaim(text: string): { name: string; value: string } {
  const at = text.indexOf('=')
  return { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** An ID token lets its holder act as the user, so it goes only to our own origin. */
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

const PLATFORM_VARIABLES: readonly string[] = [
  ...PLATFORM_IDS.flatMap((id) => PLATFORM_FACTS[id].settings.map(({ variable }) => variable)),
  'PRACTICE_LIMITS',
]

const pickPlatformVariables = (env: Parameters<typeof readConfig>[0]): PlatformVariables =>
  Object.fromEntries(
    PLATFORM_VARIABLES.flatMap((name) => {
      const value = env[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )

/** @throws ConfigError at the first invalid variable */
export function readPlatforms(
  given: PlatformVariables,
  { publicUrl, practice }: Pick<Config, 'publicUrl' | 'practice'>,
): PlatformsConfig {
  const variables = parseVariables(given)
  return {
    tiktok: readTikTok(variables, publicUrl, practice),
    instagram: readInstagram(variables, publicUrl, practice),
    youtube: readYouTube(variables, publicUrl, practice),
  }
}

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

function readYouTube(variables: Variables, publicUrl: string, practice: Practice): YouTubeConfig {
  const keys = readPair(variables, 'YOUTUBE_CLIENT_ID', 'YOUTUBE_CLIENT_SECRET')
  const redirectUri = publicUrl + callbackPath('youtube')
  if (keys) {
    return {
      clientId: keys[0],
      clientSecret: keys[1],
      redirectUri,
      appPublished: variables.YOUTUBE_APP_PUBLISHED,
      appVerified: variables.YOUTUBE_APP_VERIFIED,
      ...YOUTUBE_LIVE,
    }
  }
  if (!practice.on) return { mode: 'off' }
  return {
    mode: 'practice',
    clientId: '100000000001-practice.apps.googleusercontent.com',
    clientSecret: 'practice-youtube-secret',
    redirectUri,
    appPublished: true,
    appVerified: true,
    authorizeUrl: `${practice.url}/youtube/o/oauth2/v2/auth`,
    oauthUrl: `${practice.url}/youtube`,
    apiUrl: `${practice.url}/youtube`,
    analyticsUrl: `${practice.url}/youtube`,
    uploadHosts: [new URL(practice.url).host],
    videoUrl: `${practice.url}/youtube`,
  }
}

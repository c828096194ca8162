import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, listUnknownVariables } from './variables.ts'
import { DEFAULT_POLICY } from '#identity/credentials/policy.ts'

const liveKeys = {
  TIKTOK_CLIENT_KEY: 'aw1',
  TIKTOK_CLIENT_SECRET: 'ts',
  INSTAGRAM_APP_ID: '1234567890',
  INSTAGRAM_APP_SECRET: 'is',
}

describe('nothing set', () => {
  const config = readConfig({})

  test('serves this machine only, from ./data, with everything built in', () => {
    expect(config).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 4400,
      publicUrl: 'http://localhost:4400',
      dataDir: path.resolve('data'),
      databaseUrl: null,
      storage: { dir: path.resolve('data/media') },
      storageQuota: null,
      mediaRetentionDays: null,
      overdueGraceMs: 3_600_000,
      role: { web: true, worker: true },
      signup: null,
      trustedProxies: ['loopback'],
      identity: {
        mode: 'embedded',
        keyDays: 90,
        rules: {
          policy: DEFAULT_POLICY,
          enumerationProtection: true,
          selfDeletion: true,
          authorizedDomains: [],
        },
        providers: [],
      },
      tokenSyncUrl: null,
      smtpUrl: null,
      secretKey: null,
      logLevel: 'warn',
    })
  })

  test('practises on every platform', () => {
    expect(config.practice).toEqual({ on: true, isShared: false, port: 4401, url: 'http://localhost:4401' })
    expect(config.platforms).toEqual({
      tiktok: {
        mode: 'practice',
        clientKey: 'practice-tiktok-key',
        clientSecret: 'practice-tiktok-secret',
        redirectUri: 'http://localhost:4400/dashboard/oauth/tiktok/callback',
        appAudited: true,
        auditForm: false,
        authorizeUrl: 'http://localhost:4401/tiktok/v2/auth/authorize/',
        apiUrl: 'http://localhost:4401/tiktok',
        uploadHosts: ['localhost:4401'],
        postUrl: 'http://localhost:4401/tiktok',
      },
      instagram: {
        mode: 'practice',
        appId: '1000000000000001',
        appSecret: 'practice-instagram-secret',
        metaAppSecret: null,
        redirectUri: 'http://localhost:4400/dashboard/oauth/instagram/callback',
        authorizeUrl: 'http://localhost:4401/instagram/oauth/authorize',
        apiUrl: 'http://localhost:4401/instagram',
        graphUrl: 'http://localhost:4401/instagram',
      },
      youtube: {
        mode: 'practice',
        clientId: '100000000001-practice.apps.googleusercontent.com',
        clientSecret: 'practice-youtube-secret',
        redirectUri: 'http://localhost:4400/dashboard/oauth/youtube/callback',
        appPublished: true,
        appVerified: true,
        authorizeUrl: 'http://localhost:4401/youtube/o/oauth2/v2/auth',
        oauthUrl: 'http://localhost:4401/youtube',
        apiUrl: 'http://localhost:4401/youtube',
        analyticsUrl: 'http://localhost:4401/youtube',
        uploadHosts: ['localhost:4401'],
        videoUrl: 'http://localhost:4401/youtube',
      },
    })
  })

  test('an empty value counts as not set', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', PRACTICE: '' })).toEqual(config)
  })
})

test('real keys select the real platform, not audited by default', () => {
  const { tiktok, instagram } = readConfig({
    ...liveKeys,
    PUBLIC_URL: 'https://reelay.example.com/',
  }).platforms
  expect(tiktok).toMatchObject({
    mode: 'live',
    clientKey: 'aw1',
    appAudited: false,
    redirectUri: 'https://reelay.example.com/dashboard/oauth/tiktok/callback',
    authorizeUrl: 'https://www.tiktok.com/v2/auth/authorize/',
    apiUrl: 'https://open.tiktokapis.com',
    uploadHosts: ['tiktokapis.com'],
  })
  expect(instagram).toMatchObject({
    mode: 'live',
    appId: '1234567890',
    redirectUri: 'https://reelay.example.com/dashboard/oauth/instagram/callback',
    metaAppSecret: null,
    authorizeUrl: 'https://www.instagram.com/oauth/authorize',
    apiUrl: 'https://api.instagram.com',
    graphUrl: 'https://graph.instagram.com',
  })
})

test('real keys of a Google app select YouTube, in Testing and not verified by default', () => {
  const keys = { YOUTUBE_CLIENT_ID: '1-a.apps.googleusercontent.com', YOUTUBE_CLIENT_SECRET: 'GOCSPX-1' }
  expect(readConfig({ ...keys, PUBLIC_URL: 'https://reelay.example.com' }).platforms.youtube).toEqual({
    mode: 'live',
    clientId: '1-a.apps.googleusercontent.com',
    clientSecret: 'GOCSPX-1',
    redirectUri: 'https://reelay.example.com/dashboard/oauth/youtube/callback',
    appPublished: false,
    appVerified: false,
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    oauthUrl: 'https://oauth2.googleapis.com',
    apiUrl: 'https://www.googleapis.com',
    analyticsUrl: 'https://youtubeanalytics.googleapis.com',
    uploadHosts: ['googleapis.com'],
    videoUrl: 'https://www.youtube.com',
  })
})

test('in production a platform without keys is off unless PRACTICE is on', () => {
  expect(readConfig({ NODE_ENV: 'production' })).toMatchObject({
    practice: { on: false },
    platforms: { tiktok: { mode: 'off' }, instagram: { mode: 'off' }, youtube: { mode: 'off' } },
  })
  expect(readConfig({ NODE_ENV: 'production', PRACTICE: 'on' }).platforms.tiktok.mode).toBe('practice')
  const shared = readConfig({ NODE_ENV: 'production', PRACTICE: 'shared' })
  expect([shared.platforms.tiktok.mode, shared.practice.isShared]).toEqual(['practice', true])
})

test.each([
  ['all', { web: true, worker: true }],
  ['web', { web: true, worker: false }],
  ['worker', { web: false, worker: true }],
])('ROLE=%s', (ROLE, role) => {
  expect(readConfig({ ROLE, PUBLIC_URL: 'https://reelay.example.com' }).role).toEqual(role)
})

test('a worker listens only where it was given a port', () => {
  const worker = { ROLE: 'worker', PUBLIC_URL: 'https://reelay.example.com' }
  expect([readConfig(worker).port, readConfig({ ...worker, PORT: '4410' }).port]).toEqual([null, 4410])
})

test.each([
  ['STORGE_URL', 'STORAGE_URL'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['TIKTOK_CLIENT_KEYS', 'TIKTOK_CLIENT_KEY'],
  ['REELAY_PORT', 'PORT'],
  ['PROT', 'PORT'],
  ['SIGNUPS', 'SIGNUP'],
  ['Data_Dir', 'DATA_DIR'],
  ['SECRETKEY', 'SECRET_KEY'],
])('the unknown variable %s is named beside %s', (name, known) => {
  expect(listUnknownVariables({ [name]: 'x', PORT: '1' })).toEqual([
    `Unknown variable ${name}; did you mean ${known}?`,
  ])
})

test('an unknown variable with a prefix of ours is named, those of other programs are not', () => {
  const others = {
    HOME: '/',
    HOSTNAME: 'a',
    HOSTTYPE: 'b',
    MAIL: 'c',
    PATH: 'd',
    POSTGRES_URL: 'e',
    LOGNAME: 'f',
  }
  expect(listUnknownVariables({ ...others, TIKTOK_SECRET: 'x', SMTP_HOST: 'y', HTTP_URL: 'z' })).toEqual([
    'Unknown variable TIKTOK_SECRET: docs/configuration.md lists those that Reelay reads.',
  ])
})

test('variables configure the identity service', () => {
  const { identity } = readConfig({
    IDENTITY_KEY_DAYS: '30',
    PASSWORD_POLICY: 'min:10,max:128,lowercase,uppercase,numeric,special,upgrade',
    IDENTITY_ENUMERATION_PROTECTION: 'off',
    IDENTITY_SELF_DELETION: 'off',
    IDENTITY_AUTHORIZED_DOMAINS: 'Example.com, 203.0.113.9:8443',
  })
  expect(identity).toEqual({
    mode: 'embedded',
    keyDays: 30,
    providers: [],
    rules: {
      policy: {
        minLength: 10,
        maxLength: 128,
        lowercase: true,
        uppercase: true,
        numeric: true,
        nonAlphanumeric: true,
        enforced: true,
        upgradeOnSignIn: true,
      },
      enumerationProtection: false,
      selfDeletion: false,
      authorizedDomains: ['example.com', '203.0.113.9:8443'],
    },
  })
  expect(readConfig({ PASSWORD_POLICY: 'numeric, enforce:off' }).identity).toMatchObject({
    rules: { policy: { ...DEFAULT_POLICY, numeric: true, enforced: false } },
  })
})

test('TRUST_PROXY is a hop count or addresses; loopback is always trusted', () => {
  expect(readConfig({ TRUST_PROXY: '2' }).trustedProxies).toBe(2)
  expect(readConfig({ TRUST_PROXY: '10.0.0.5, 2001:db8::/32' }).trustedProxies).toEqual([
    'loopback',
    '10.0.0.5',
    '2001:db8::/32',
  ])
})

test.each([
  ['500MB', 500_000_000],
  ['50GB', 50_000_000_000],
  ['1.5TB', 1_500_000_000_000],
])('STORAGE_QUOTA takes %s', (STORAGE_QUOTA, storageQuota) =>
  expect(readConfig({ STORAGE_QUOTA })).toMatchObject({
    storageQuota,
  }),
)

test('OVERDUE_GRACE_MINUTES is how late a post may go out by itself', () =>
  expect(readConfig({ OVERDUE_GRACE_MINUTES: '5' }).overdueGraceMs).toBe(300_000))

test('MEDIA_RETENTION_DAYS is a number of days', () =>
  expect(readConfig({ MEDIA_RETENTION_DAYS: '90' }).mediaRetentionDays).toBe(90))

test('STORAGE_URL names a folder', () => {
  expect(readConfig({ STORAGE_URL: 'file:///srv/my%20videos' }).storage).toEqual({
    dir: '/srv/my videos',
  })
})

test.each([
  [
    's3://videos',
    {
      bucket: 'videos',
      prefix: '',
      endpoint: null,
      region: 'us-east-1',
      pathStyle: false,
      profile: null,
    },
  ],
  [
    's3://videos/of%20ours/?endpoint=http://127.0.0.1:9000&region=eu-1',
    {
      bucket: 'videos',
      prefix: 'of ours/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-1',
      pathStyle: true,
      profile: null,
    },
  ],
  [
    's3://videos?endpoint=https://s3.example.com&path_style=false&profile=videos',
    {
      bucket: 'videos',
      prefix: '',
      endpoint: 'https://s3.example.com',
      region: 'us-east-1',
      pathStyle: false,
      profile: 'videos',
    },
  ],
])('STORAGE_URL names a bucket: %s', (STORAGE_URL, storage) => {
  expect(readConfig({ STORAGE_URL }).storage).toEqual(storage)
})

test.each(['/session', '/session?app=reelay', 'https://reelay.example.com/session'])(
  'TOKEN_SYNC_URL accepts our own origin: %s',
  (TOKEN_SYNC_URL) => {
    const config = readConfig({ PUBLIC_URL: 'https://reelay.example.com', TOKEN_SYNC_URL })
    expect(config.tokenSyncUrl).toBe(TOKEN_SYNC_URL)
  },
)

test.each([
  'https://elsewhere.example.com/session',
  'http://reelay.example.com/session',
  'https://reelay.example.com:8443/session',
  'https://me@reelay.example.com/session',
  '//elsewhere.example.com/session',
  String.raw`/\elsewhere.example.com/session`,
  'session',
  'javascript:alert(1)',
])('TOKEN_SYNC_URL refuses other origins: %s', (TOKEN_SYNC_URL) => {
  expect(() => readConfig({ PUBLIC_URL: 'https://reelay.example.com', TOKEN_SYNC_URL })).toThrow(
    new ConfigError(
      `TOKEN_SYNC_URL must be a path such as /session, or an address at https://reelay.example.com, not ${JSON.stringify(TOKEN_SYNC_URL)}.`,
    ),
  )
})

describe('an invalid value is reported in one line with its name', () => {
  test.each([
    [{ PORT: 'abc' }, 'PORT must be a port: a whole number from 1 to 65535, not "abc".'],
    [{ PORT: '0x50' }, 'PORT must be a port: a whole number from 1 to 65535, not "0x50".'],
    [{ PORT: '70000' }, 'PORT must be a port: a whole number from 1 to 65535, not "70000".'],
    [{ PRACTICE_PORT: '4400' }, 'PRACTICE_PORT must differ from PORT: both are 4400.'],
    [
      { PUBLIC_URL: 'reelay.example.com' },
      'PUBLIC_URL must be an origin without a path, such as https://reelay.example.com, not "reelay.example.com".',
    ],
    [
      { PUBLIC_URL: 'https://example.com/reelay' },
      'PUBLIC_URL must be an origin without a path, such as https://reelay.example.com, not "https://example.com/reelay".',
    ],
    [{ ROLE: 'boss' }, 'ROLE must be all, web or worker, not "boss".'],
    [{ PRACTICE: 'yes' }, 'PRACTICE must be on, off or shared, not "yes".'],
    [{ SIGNUP: 'shut' }, 'SIGNUP must be open, closed or invited, not "shut".'],
    ...['min:5', 'min:31', 'max:4097', 'min:20,max:10', 'letters', 'upgrade,enforce:off'].map(
      (value): [Record<string, string>, string] => [
        { PASSWORD_POLICY: value },
        `PASSWORD_POLICY must be a list such as min:10,max:128,lowercase,uppercase,numeric,special,enforce:off or …,upgrade (min from 6 to 30, max up to 4096; upgrade not with enforce:off), not ${JSON.stringify(value)}.`,
      ],
    ),
    ...['0', '11', 'proxy.example.com', '10.0.0.0/33', '10.0.0.5,'].map(
      (value): [Record<string, string>, string] => [
        { TRUST_PROXY: value },
        `TRUST_PROXY must be how many proxies stand in front, from 1 to 10, or their addresses, such as 10.0.0.0/8, separated by commas, not ${JSON.stringify(value)}.`,
      ],
    ),
    [{ IDENTITY_SELF_DELETION: 'yes' }, 'IDENTITY_SELF_DELETION must be on or off, not "yes".'],
    [
      { IDENTITY_AUTHORIZED_DOMAINS: 'https://example.com' },
      'IDENTITY_AUTHORIZED_DOMAINS must be hosts such as example.com or example.com:8443, separated by commas, not "https://example.com".',
    ],
    [{ TIKTOK_AUDIT_FORM: '1' }, 'TIKTOK_AUDIT_FORM must be true or false, not "1".'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be fatal, error, warn, info, debug, trace, silent, not "loud".'],
    [{ IDENTITY: 'firebase' }, 'FIREBASE_API_KEY must be set where IDENTITY is firebase.'],
    [{ TIKTOK_CLIENT_KEY: 'k' }, 'TIKTOK_CLIENT_SECRET must be set where TIKTOK_CLIENT_KEY is.'],
    [{ INSTAGRAM_APP_SECRET: 's' }, 'INSTAGRAM_APP_ID must be set where INSTAGRAM_APP_SECRET is.'],
    [{ INSTAGRAM_APP_ID: 'abc' }, 'INSTAGRAM_APP_ID must be the Instagram app ID: digits only, not "abc".'],
    [
      { MAIL_FROM: 'nobody' },
      'MAIL_FROM must be a sender such as Reelay <reelay@example.com>, not "nobody".',
    ],
    [
      { STORAGE_URL: 'ftp://files' },
      'STORAGE_URL must be a folder such as file:///srv/reelay or a bucket such as s3://bucket/prefix.',
    ],
    [
      { STORAGE_URL: 's3://key:secret@videos' },
      'STORAGE_URL must name a bucket, such as s3://bucket/prefix. Its keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ],
    [
      { STORAGE_URL: 's3://videos?endpont=https://s3' },
      'STORAGE_URL takes endpoint, region, path_style and profile, not "endpont".',
    ],
    [
      { STORAGE_URL: 's3://videos?endpoint=s3.example.com' },
      'STORAGE_URL: endpoint must be an address such as https://s3.example.com.',
    ],
    [{ STORAGE_URL: 's3://videos?path_style=yes' }, 'STORAGE_URL: path_style must be true or false.'],
    [
      { BACKUP_DIR: 's3://' },
      'BACKUP_DIR must name a bucket, such as s3://bucket/prefix. Its keys belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ],
    [
      { STORAGE_QUOTA: '50 Gb' },
      'STORAGE_QUOTA must be an amount such as 500MB, 50GB or 1.5TB, not "50 Gb".',
    ],
    [
      { MEDIA_RETENTION_DAYS: '0' },
      'MEDIA_RETENTION_DAYS must be a whole number of days from 1 to 3650, not "0".',
    ],
    [
      { OVERDUE_GRACE_MINUTES: '0' },
      'OVERDUE_GRACE_MINUTES must be a whole number of minutes from 5 to 43200, not "0".',
    ],
    [
      { ROLE: 'worker' },
      'PUBLIC_URL must be set where ROLE is worker: platforms fetch videos at that address.',
    ],
    [
      { DATABASE_DIRECT_URL: 'postgres://db/reelay' },
      'DATABASE_URL must be set where DATABASE_DIRECT_URL is.',
    ],
    [
      { DATABASE_URL: 'postgres://db/reelay' },
      'SECRET_KEY must be set where DATABASE_URL is: 32 or more random characters, the same for every process.',
    ],
  ])('%j', (env, message) => {
    expect(() => readConfig(env)).toThrow(new ConfigError(message))
  })

  test.each([
    { DATABASE_URL: 'mysql://me:hunter2@db/x' },
    { SMTP_URL: 'https://me:hunter2@mail' },
    { STORAGE_URL: 'ftp://me:hunter2@files' },
    { SECRET_KEY: 'hunter2' },
  ])('without repeating secrets: %j', (env) => {
    const [name] = Object.keys(env)
    expect(() => readConfig(env)).toThrow(new RegExp(`^${name} must be (?!.*hunter2).*\\.$`))
  })
})

const readProviders = (...providers: unknown[]) =>
  readConfig({ OIDC_PROVIDERS: JSON.stringify(providers) }).identity

describe('OpenID Connect providers', () => {
  const entry = {
    id: 'keycloak',
    name: 'Keycloak',
    issuer: 'https://id.example.com/realms/team',
    client_id: 'reelay',
    client_secret: 'very secret',
  }

  test('are read with their claims', () => {
    const claims = { operator_claim: 'groups=a=b', quota_claim: 'storage' }
    expect(
      readProviders(entry, { ...entry, id: 'second', ...claims, scopes: 'openid email groups' }),
    ).toMatchObject({
      providers: [
        {
          id: 'keycloak',
          clientSecret: 'very secret',
          scopes: 'openid email profile',
          operatorClaim: null,
          quotaClaim: null,
          auto: false,
        },
        {
          id: 'second',
          scopes: 'openid email groups',
          operatorClaim: { name: 'groups', value: 'a=b' },
          quotaClaim: 'storage',
        },
      ],
    })
  })

  test.each<[string, unknown[]]>([
    ['OIDC_PROVIDERS: provider 2 takes id, name, issuer', [entry, { ...entry, secret: 'very secret' }]],
    ['OIDC_PROVIDERS: id of provider 1 must be up to 32 small letters', [{ ...entry, id: 'Key cloak' }]],
    [
      'OIDC_PROVIDERS: issuer of provider 1 must be an https',
      [{ ...entry, issuer: 'http://id.example.com' }],
    ],
    ['OIDC_PROVIDERS: client_secret of provider 1 must be a text', [{ ...entry, client_secret: '' }]],
    ['OIDC_PROVIDERS: scopes of provider 1 must be openid and', [{ ...entry, scopes: 'email' }]],
    ['OIDC_PROVIDERS: operator_claim of provider 1 must be a claim', [{ ...entry, operator_claim: 'admin' }]],
    ['OIDC_PROVIDERS: each provider needs an id of its own', [entry, entry]],
    [
      'OIDC_PROVIDERS: auto is for a single provider',
      [
        { ...entry, auto: true },
        { ...entry, id: 'second' },
      ],
    ],
  ])('say what is wrong, without a secret: %s', (says, providers) => {
    expect(() => readProviders(...providers)).toThrow(says)
    expect(() => readProviders(...providers)).not.toThrow('very secret')
  })

  test('are a JSON list, and not for a hosted identity service', () => {
    expect(() => readConfig({ OIDC_PROVIDERS: 'keycloak' })).toThrow('must be a JSON list of providers')
    const hosted = { IDENTITY: 'firebase', OIDC_PROVIDERS: JSON.stringify([entry]) }
    expect(() => readConfig(hosted)).toThrow('OIDC_PROVIDERS must not be set where IDENTITY is firebase')
  })
})

import { z } from 'zod'
import { endpoint, noContent } from './http/endpoint.ts'
import { KEY_SCOPES, TAGS } from './http/key-rights.ts'
import { AccountId, ApiKeyId, BrandId } from './ids.ts'
import {
  ACCOUNTS_MAX,
  API_KEY_CALLS_PER_MINUTE,
  API_KEY_DAYS_MAX,
  API_KEY_NAME_MAX_CHARS,
  API_KEYS_MAX,
  BRANDS_MAX,
} from './limits.ts'

/** Scanners for leaked secrets can find it by this. */
export const API_KEY_START = 'reelay_'

export const ApiKeyName = z
  .string()
  .trim()
  .min(1, 'Give it a name.')
  .max(API_KEY_NAME_MAX_CHARS, `Use at most ${API_KEY_NAME_MAX_CHARS} characters.`)
  .regex(/^\P{Cc}*$/u, 'Use letters, numbers and symbols only.')

/** A key that is limited reaches these brands with their accounts, and these accounts. */
export const KeyLimit = z.strictObject({
  brand_ids: z.array(BrandId).max(BRANDS_MAX).default([]),
  account_ids: z.array(AccountId).max(ACCOUNTS_MAX).default([]),
})
export type KeyLimit = z.output<typeof KeyLimit>

const Scopes = z
  .array(z.enum(KEY_SCOPES))
  .describe(
    '`read`: see everything but secrets. `write`: change what is not public, and cancel. `publish`: make posts, change them, and release what waits.',
  )

export const ApiKey = z.object({
  key_id: ApiKeyId,
  name: z.string(),
  prefix: z.string().describe('The first characters of its secret.'),
  scopes: Scopes,
  limited_to: KeyLimit.nullable().describe('null: all brands and accounts, those to come included.'),
  status: z
    .enum(['active', 'expired', 'ended'])
    .describe(
      '`ended`: by a new password, or because all sessions were ended. Keys that are not active get 401.',
    ),
  lacks: z
    .array(z.enum(TAGS))
    .describe('Kinds of resources that the API got after the key was made. It does not reach them.'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable().describe('To the minute.'),
})
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = z.strictObject({
  name: ApiKeyName,
  scopes: Scopes.min(1, 'Choose at least one right.').refine(
    (scopes) => new Set(scopes).size === scopes.length,
    'Name each right once.',
  ),
  limited_to: KeyLimit.refine(
    ({ brand_ids, account_ids }) => brand_ids.length + account_ids.length > 0,
    'Choose at least one brand or account.',
  )
    .optional()
    .describe('Only these brands and accounts. Leave it out for all.'),
  expires_in_days: z
    .int()
    .min(1)
    .max(API_KEY_DAYS_MAX, `A key can last up to ${API_KEY_DAYS_MAX} days.`)
    .nullable()
    .describe('null: it does not expire.'),
})
export type NewApiKey = z.input<typeof NewApiKey>

const byKey = z.object({ keyId: ApiKeyId })

export const apiKeyEndpoints = {
  listApiKeys: endpoint({
    method: 'GET',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'List the API keys, the newest first. Their secrets are not stored',
    auth: 'session',
    status: 200,
    reply: z.array(ApiKey),
    problems: [],
  }),
  createApiKey: endpoint({
    method: 'POST',
    path: '/api-keys',
    tag: 'API keys',
    summary: `Make an API key, by which a program calls the API in the user's name: \`Authorization: Bearer <secret>\`. A user has up to ${API_KEYS_MAX}. Each may make ${API_KEY_CALLS_PER_MINUTE} calls a minute`,
    auth: 'session',
    body: NewApiKey,
    status: 201,
    reply: z.object({
      key: ApiKey,
      secret: z.string().describe('Shown only here. Whoever has it can do what the key may do.'),
    }),
    problems: ['invalid', 'not_found', 'conflict'],
  }),
  extendApiKey: endpoint({
    method: 'POST',
    path: '/api-keys/:keyId/extend',
    tag: 'API keys',
    summary: 'Let a key reach the kinds of resources that the API got after it was made',
    auth: 'session',
    params: byKey,
    status: 200,
    reply: ApiKey,
    problems: ['not_found'],
  }),
  getOwnApiKey: endpoint({
    method: 'GET',
    path: '/user/key',
    // Every key reaches this kind, however old it is.
    tag: 'Users',
    summary: 'Get the API key that makes this call: what it may do, and when it expires',
    auth: 'read',
    limitedKeys: 'any',
    status: 200,
    reply: ApiKey,
    problems: ['not_found'],
  }),
  deleteApiKey: endpoint({
    method: 'DELETE',
    path: '/api-keys/:keyId',
    tag: 'API keys',
    summary: 'Revoke a key. Its next call gets 401',
    auth: 'session',
    params: byKey,
    status: 204,
    reply: noContent,
    problems: ['not_found'],
  }),
} as const

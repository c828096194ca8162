/** A JSON schema as the API's description has it. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly propertyNames?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly description?: string
}
export type Schemas = Readonly<Record<string, Schema>>

/** Values of fields whose schema says no more than that they are texts. */
const TEXTS: Readonly<Record<string, string>> = {
  timezone: 'Europe/Lisbon',
  local: '2026-12-24T18:30',
  text: 'Opening day',
  caption: 'Opening day',
  title: 'Northwind',
  name: 'Northwind',
  brand_title: 'Northwind',
  filename: 'opening-day.mp4',
  username: 'northwind',
  display_name: 'Northwind',
  email: 'ada@example.com',
  password: 'correct horse battery',
  nickname: 'Ada',
  mime: 'video/mp4',
  message: 'What happened.',
  preview_token: 'n8Zc….Q3x…',
  secret: 'reelay_…',
  prefix: 'reelay_AbCdE',
  url: 'https://example.com/post',
  until: '20:00',
  csv: 'caption,video,accounts,time\nOpening day,opening-day.mp4,@northwind,2026-12-24 18:30',
  reference: 'cms/42',
  user_code: 'BCDF-GHJK',
  client_name: 'Reelay command line',
  device_name: 'studio-mac',
  client_host: 'assistant.example.com',
  redirect_host: 'assistant.example.com',
  redirect_to: 'https://assistant.example.com/callback?code=…&state=…',
  code: 'video_too_short',
  remedy: 'What to do about it.',
  detail: "The platform's own words.",
  answer: 'What was answered.',
  poster_url: '/posters/0123456789abcdef',
  logo_url: '/logos/0123456789abcdef',
  avatar_url: 'https://example.com/northwind.jpg',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  container: 'mp4',
  video_codec: 'avc',
  audio_codec: 'aac',
  chroma: '4:2:0',
  tags: 'opening',
  schedule_name: 'Mornings',
}

/** Values of fields that mean something else in one call, by call and field. */
const IN_CALLS: Readonly<Record<string, string>> = {
  'finishLink.code': 'AQDx…',
  'finishLink.state': 'bXkt…',
  'fetchVideo.url': 'https://files.example.com/opening-day.mp4',
  'createWebhook.address': 'https://example.com/hooks/reelay',
  'createWebhook.secret': 'whsec_…',
  'rotateWebhookSecret.secret': 'whsec_…',
}

/** Values of numbers that would say little as 1. */
const NUMBERS: Readonly<Record<string, number>> = {
  size: 24_310_720,
  video_size: 24_310_720,
  chunk_size: 24_310_720,
  width: 1080,
  height: 1920,
  duration_s: 14.5,
  fps: 30,
  audio_rate_hz: 48_000,
  audio_channels: 2,
  audio_bit_rate: 128_000,
  video_bit_rate: 8_000_000,
  answer_status: 200,
  quota_bytes: 10_000_000_000,
  used_bytes: 2_400_000_000,
}

/** Values of texts that must match a pattern or have a format. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-12-24T18:30:00.000Z',
  date: '2026-12-24',
  uuid: '0b8e2a5c-5f3c-4a57-9b0e-6a4f3d2c1b0a',
  email: 'ada@example.com',
  uri: 'https://example.com/post',
}
const BY_PATTERN: readonly string[] = [
  '2026-12-24',
  '2026-12-24T18:30',
  '2026-12',
  '08:00',
  '0123456789abcdef0123456789abcdef',
  '42',
]

/** No schema is deeper than this, unless it contains itself. */
const DEPTH_MAX = 14

/**
 * A value that fits a schema: of a request (`required`) only what it must have, of a reply everything.
 * @param schemas those that a `$ref` names
 * @param options.call the name of the endpoint
 */
export function exampleOf(
  schema: Schema,
  schemas: Schemas,
  fields: 'required' | 'all',
  { name = '', depth = 0, call = '' } = {},
): unknown {
  const deeper = (one: Schema, of = name) =>
    exampleOf(one, schemas, fields, { name: of, depth: depth + 1, call })
  if (depth > DEPTH_MAX) return null
  if (schema.$ref !== undefined) {
    const named = schemas[schema.$ref.split('/').at(-1) ?? '']
    return named ? deeper(named) : null
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return deeper(choices.find(({ type }) => type !== 'null') ?? {})
  switch ([schema.type ?? 'any'].flat().find((one) => one !== 'null') ?? 'any') {
    case 'object':
      return Object.fromEntries(
        fieldsOf(schema)
          .filter(([field]) => fields === 'all' || schema.required?.includes(field))
          .map(([field, one]) => [field, deeper(one, field)]),
      )
    case 'array':
      return schema.items && (fields === 'all' || (schema.minItems ?? 0) > 0 || depth > 0)
        ? Array.from({ length: schema.minItems ?? 1 }, () => deeper(schema.items ?? {}))
        : []
    case 'integer':
    case 'number':
      return NUMBERS[name] ?? Math.max(schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1)
    case 'boolean':
      return true
    case 'string':
      return IN_CALLS[`${call}.${name}`] ?? textFor(schema, name)
    default:
      return null
  }
}

/** Those that are named, and those of a record whose keys are. */
function fieldsOf({ properties, propertyNames, additionalProperties }: Schema): [string, Schema][] {
  if (properties) return Object.entries(properties)
  return typeof additionalProperties === 'object'
    ? (propertyNames?.enum ?? []).map((field) => [String(field), additionalProperties])
    : []
}

function textFor({ format, pattern }: Schema, name: string): string {
  const formatted = BY_FORMAT[format ?? '']
  if (formatted !== undefined) return formatted
  const named = TEXTS[name] ?? 'Text'
  if (pattern === undefined) return named
  const fits = new RegExp(pattern, 'u')
  return [named, ...BY_PATTERN].find((text) => fits.test(text)) ?? named
}

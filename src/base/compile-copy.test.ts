import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { API } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { OVERVIEW_DAYS } from '#contract/limits.ts'
import { compileCopy } from './compile-copy.ts'

/** A field that no schema names. */
const UNNAMED = { password_hash: 'secret' }

type Node = z.ZodType & {
  readonly shape: Record<string, Node>
  readonly element: Node
  readonly options: readonly Node[]
  readonly values: ReadonlySet<unknown>
  readonly def: { readonly left: Node; readonly right: Node }
  unwrap(): Node
}

/** Values of a schema: enough that each of its parts, and each option of its unions, is in one of them, with UNNAMED in each object. */
function samples(schema: Node): unknown[] {
  const found = candidates(schema).filter((value) => schema.safeParse(value).success)
  if (found.length === 0) throw new Error(`Give a value for a schema of the type ${schema.type}.`)
  return found
}

const TEXTS = [
  'Some text',
  '2026-11-23T12:00:00.000Z',
  '2026-11-23',
  '2026-11-23T12:00',
  '08:30',
  '21:00',
  'UTC',
  'a'.repeat(32),
  '0b8e2a5c-5f3c-4a57-9b0e-6a4f3d2c1b0a',
]

function candidates(schema: Node): unknown[] {
  switch (schema.type as string) {
    case 'string':
      return TEXTS
    case 'number':
      return [1]
    case 'boolean':
      return [true, false]
    case 'enum':
      return [...schema.options]
    case 'literal':
      return [...schema.values]
    case 'nullable':
      return [null, ...samples(schema.unwrap())]
    case 'optional':
      return [undefined, ...samples(schema.unwrap())]
    case 'default':
      return samples(schema.unwrap())
    case 'array': {
      const items = samples(schema.element)
      return [[], items, Array.from({ length: OVERVIEW_DAYS }, () => items[0])]
    }
    case 'union':
      return schema.options.flatMap(samples)
    case 'object':
      return objects(schema.shape)
    case 'record':
      return [recordOf(schema as unknown as z.ZodRecord)]
    case 'intersection': {
      const right = samples(schema.def.right)
      return samples(schema.def.left).map((left) => ({ ...(left as object), ...(right[0] as object) }))
    }
    case 'unknown':
      return ['anything']
    case 'void':
      return [undefined]
    default:
      throw new Error(`Say here what a reply of the type ${schema.type} is.`)
  }
}

function objects(shape: Record<string, Node>): unknown[] {
  const fields = Object.entries(shape).map(([name, field]) => [name, samples(field)] as const)
  const count = Math.max(1, ...fields.map(([, values]) => values.length))
  return Array.from({ length: count }, (_, i) => ({
    ...UNNAMED,
    ...Object.fromEntries(fields.map(([name, values], nth) => [name, values[(i + nth) % values.length]])),
  }))
}

function recordOf({ keyType, valueType }: z.ZodRecord): unknown {
  const keys = keyType as unknown as Node
  const [value] = samples(valueType as unknown as Node)
  return Object.fromEntries(samples(keys).map((key) => [key, value]))
}

const sent = (value: unknown): unknown => JSON.parse(JSON.stringify({ value }))

describe('the reply of each endpoint', () => {
  for (const [name, endpoint] of Object.entries(API) as [string, Endpoint][]) {
    it(`${name} has the fields that its schema names, and no other`, () => {
      const copy = compileCopy(endpoint.reply)
      for (const value of samples(endpoint.reply as Node)) {
        expect(sent(copy(value))).toEqual(sent(endpoint.reply.parse(value)))
        expect(JSON.stringify({ value: copy(value) })).not.toContain('password_hash')
      }
    })
  }
})

describe('a reply', () => {
  const Mark = z.object({
    name: z.string(),
    on: z.enum(['left', 'right']).nullable(),
    at: z.iso.datetime().optional(),
  })

  it('does not have an object where its schema says a text', () => {
    const copy = compileCopy(z.object({ items: z.array(Mark) }))
    expect(() => copy({ items: [{ name: UNNAMED, on: null }] })).toThrow(z.ZodError)
  })

  it.each([
    { on: null },
    { name: 'a', on: 'top' },
    { name: 'a' },
    { name: 'a', on: null, at: new Date(0) },
    null,
    'a',
    [],
  ])('is refused where it is %j', (value) => {
    expect(() => compileCopy(Mark)(value)).toThrow(z.ZodError)
  })

  it('is converted where its schema converts', () => {
    const copy = compileCopy(
      z.object({ id: z.coerce.number(), word: z.string().toLowerCase(), n: z.int().default(3) }),
    )
    expect(copy({ id: '7', word: 'Ab' })).toEqual({ id: 7, word: 'ab', n: 3 })
  })

  it('has the fields of the option that its discriminator names', () => {
    const copy = compileCopy(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), one: z.int() }),
        z.object({ kind: z.enum(['b', 'c']), two: z.int() }),
      ]),
    )
    expect(copy({ kind: 'a', one: 1, two: 2 })).toEqual({ kind: 'a', one: 1 })
    expect(copy({ kind: 'c', one: 1, two: 2 })).toEqual({ kind: 'c', two: 2 })
    expect(() => copy({ kind: 'd', one: 1, two: 2 })).toThrow(z.ZodError)
  })
})

import type { z } from 'zod'

/** Copies what its schema names; throws Unfit where a value is of another type. */
type Copy = (value: unknown) => unknown
type Fields = Readonly<Record<string, unknown>>

class Unfit extends Error {}

/**
 * What an endpoint answers, as its schema in the contract says: a copy with the fields that the schema names. Types are checked, lengths,
 * ranges and formats are not. A value of another type is left to zod, which converts it or throws a ZodError.
 */
export function compileReply(schema: z.ZodType): (value: unknown) => unknown {
  const copy = copyOf(schema)
  return (value) => {
    try {
      return copy(value)
    } catch (error) {
      if (error instanceof Unfit) return schema.parse(value)
      throw error
    }
  }
}

function copyOf(given: z.core.$ZodType): Copy {
  const schema = given as z.ZodString | z.ZodNumber | z.ZodBoolean | Composed // others go to zod below
  switch (schema.type) {
    case 'string':
      return schema.def.checks?.some(isChange)
        ? byZod(given)
        : (value) => fit(typeof value === 'string', value)
    case 'number':
      return (value) => fit(Number.isFinite(value), value)
    case 'boolean':
      return (value) => fit(typeof value === 'boolean', value)
    case 'enum':
    case 'literal': {
      const values = valuesOf(schema)
      return (value) => fit(values.has(value), value)
    }
    case 'nullable': {
      const copy = copyOf(schema.unwrap())
      return (value) => (value === null ? null : copy(value))
    }
    case 'optional': {
      const copy = copyOf(schema.unwrap())
      return (value) => (value === undefined ? undefined : copy(value))
    }
    case 'array': {
      const copy = copyOf(schema.element)
      return (value) => (Array.isArray(value) ? value.map((one) => copy(one)) : unfit())
    }
    case 'object':
      return schema.def.catchall ? byZod(given) : copyOfObject(schema.shape)
    case 'union':
      return copyOfUnion(schema) ?? byZod(given)
    default:
      return byZod(given)
  }
}

type Composed =
  | z.ZodEnum
  | z.ZodLiteral
  | z.ZodNullable
  | z.ZodOptional
  | z.ZodArray
  | z.ZodObject
  | z.ZodUnion
  | z.ZodDiscriminatedUnion

/** As source with one object literal, of which V8 knows the shape: adding field by field takes five times as long. */
function copyOfObject(shape: z.core.$ZodShape): Copy {
  const fields = Object.entries(shape)
  const copies = fields.map(([, field]) => copyOf(field))
  const parts = fields.map(([name], i) => `${JSON.stringify(name)}: copy${i}(given[${JSON.stringify(name)}])`)
  const source = `return (given) => ({ ${parts.join(', ')} })`
  // oxlint-disable-next-line typescript/no-implied-eval -- the source has nothing but names of the contract
  const make = new Function(...copies.map((_, i) => `copy${i}`), source) as (
    ...all: Copy[]
  ) => (given: Fields) => Fields
  const copy = make(...copies)
  return (value) => copy(asObject(value))
}

/** By the value of its discriminator; null where there is none, or one that only zod can tell. */
function copyOfUnion({ def }: z.ZodUnion | z.ZodDiscriminatedUnion): Copy | null {
  if (!('discriminator' in def)) return null
  const { discriminator } = def
  const copies = new Map<unknown, Copy>()
  for (const option of def.options as readonly z.ZodObject[]) {
    const tag = option.type === 'object' ? (option.shape[discriminator] as z.ZodEnum | z.ZodLiteral) : null
    if (tag?.type !== 'literal' && tag?.type !== 'enum') return null
    const copy = copyOf(option)
    for (const value of valuesOf(tag)) copies.set(value, copy)
  }
  return (value) => (copies.get(asObject(value)[discriminator]) ?? unfit)(value)
}

const valuesOf = (schema: z.ZodEnum | z.ZodLiteral): ReadonlySet<unknown> =>
  schema.type === 'enum' ? new Set<unknown>(schema.options) : schema.values

/** Whether it makes another text of one, as `toLowerCase` does. */
const isChange = ({ _zod: { def } }: z.core.$ZodCheck) => def.check === 'overwrite'
const byZod =
  (schema: z.core.$ZodType): Copy =>
  (value) =>
    (schema as z.ZodType).parse(value)

const asObject = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : unfit()

const fit = (isFit: boolean, value: unknown) => (isFit ? value : unfit())

function unfit(): never {
  throw new Unfit()
}

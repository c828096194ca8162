import type { z } from 'zod'

/** Copies the fields that its schema names. @throws TypeMismatch if a value is of another type */
type Copy = (value: unknown) => unknown
type Fields = Readonly<Record<string, unknown>>

class TypeMismatch extends Error {}

/**
 * `schema.parse` for values that we made ourselves, compiled: a copy with the fields that the schema names. Types are checked, lengths,
 * ranges and formats are not. A value of another type is left to zod, which converts it or throws a ZodError.
 */
export function compileCopy<T>(schema: z.ZodType<T>): (value: unknown) => T {
  const copy = copyOf(schema)
  return (value) => {
    try {
      return copy(value) as T // of the types that the schema says
    } catch (error) {
      if (error instanceof TypeMismatch) return schema.parse(value)
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
        : (value) => accept(typeof value === 'string', value)
    case 'number':
      return (value) => accept(Number.isFinite(value), value)
    case 'boolean':
      return (value) => accept(typeof value === 'boolean', value)
    case 'enum':
    case 'literal': {
      const values = valuesOf(schema)
      return (value) => accept(values.has(value), value)
    }
    case 'nullable': {
      const copy = copyOf(schema.unwrap())
      return (value) => (value === null ? null : copy(value))
    }
    case 'optional': {
      const copy = copyOf(schema.unwrap())
      return (value) => (value === undefined ? undefined : copy(value))
    }
    case 'default': {
      const copy = copyOf(schema.unwrap())
      return (value) => (value === undefined ? schema.def.defaultValue : copy(value))
    }
    case 'array': {
      const copy = copyOf(schema.element)
      return (value) => (Array.isArray(value) ? value.map((one) => copy(one)) : throwMismatch())
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
  | z.ZodDefault
  | z.ZodArray
  | z.ZodObject
  | z.ZodUnion
  | z.ZodDiscriminatedUnion

/** Compiled to one object literal, whose shape V8 knows: adding field by field takes five times as long. */
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

/** Chooses the option by the discriminator; null if there is none, or only zod can tell the options apart. */
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
  return (value) => (copies.get(asObject(value)[discriminator]) ?? throwMismatch)(value)
}

const valuesOf = (schema: z.ZodEnum | z.ZodLiteral): ReadonlySet<unknown> =>
  schema.type === 'enum' ? new Set<unknown>(schema.options) : schema.values

/** Whether a check changes the text, as `toLowerCase` does. */
const isChange = ({ _zod: { def } }: z.core.$ZodCheck) => def.check === 'overwrite'
const byZod =
  (schema: z.core.$ZodType): Copy =>
  (value) =>
    (schema as z.ZodType).parse(value)

const asObject = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : throwMismatch()

const accept = (matches: boolean, value: unknown) => (matches ? value : throwMismatch())

function throwMismatch(): never {
  throw new TypeMismatch()
}

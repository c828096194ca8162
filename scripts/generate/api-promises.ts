import type { Schema } from '#server/http/examples.ts'

type Content = Readonly<Record<string, { readonly schema: Schema }>>
type Operation = {
  readonly operationId: string
  readonly security?: readonly { readonly bearer: readonly string[] }[]
  readonly parameters: readonly {
    readonly name: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
/** An OpenAPI document, as far as callers rely on it. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** A line that a later version may take back, but not add to what was there before: it asks something of callers. */
const DEMAND = ' must '

/**
 * What the API promises its callers, a fact a line: calls, the fields and values that they take, and the fields that they answer. Limits of
 * numbers and lengths are not among them.
 */
export function listPromises({ paths, webhooks, components }: ApiDocument): string[] {
  const lines = new Set<string>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId: name, security, parameters, requestBody, responses } = operation
      lines.add(`${name} is ${method.toUpperCase()} ${path}`)
      for (const { bearer } of security ?? []) lines.add(`${name}${DEMAND}have ${bearer[0] ?? 'a session'}`)
      for (const { name: field, required = false, schema } of parameters)
        addField(lines, `${name}?${field}`, { schema, required, isInput: true })
      for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
        lines.add(`${name} takes ${type}`)
        addSchema(lines, `${name}>`, { schema, isInput: true })
      }
      for (const [status, { content = {} }] of Object.entries(responses).filter(([one]) =>
        one.startsWith('2'),
      )) {
        lines.add(`${name} answers ${[status, ...Object.keys(content)].join(' ')}`)
        for (const { schema } of Object.values(content))
          addSchema(lines, `${name}<`, { schema, isInput: false })
      }
    }
  for (const [event, { post }] of Object.entries(webhooks))
    for (const { schema } of Object.values(post.requestBody?.content ?? {}))
      addSchema(lines, `webhook ${event}<`, { schema, isInput: false })
  for (const [name, schema] of Object.entries(components.schemas))
    addSchema(lines, name, { schema, isInput: false })
  return [...lines].toSorted()
}

type Place = { readonly schema: Schema; readonly isInput: boolean }

function addField(lines: Set<string>, path: string, field: Place & { readonly required: boolean }): void {
  if (field.required) lines.add(field.isInput ? `${path}${DEMAND}be there` : `${path} is always there`)
  addSchema(lines, path, field)
}

function addSchema(lines: Set<string>, path: string, { schema, isInput }: Place): void {
  const variants = variantsOf(schema)
  const types = [...new Set(variants.map(typeOf))].toSorted()
  if (isInput) for (const type of types) lines.add(`${path} may be ${type}`)
  else {
    lines.add(`${path} is ${types.filter((type) => type !== 'null').join(' or ')}`)
    if (!types.includes('null')) lines.add(`${path} is never null`)
  }
  for (const {
    const: value,
    enum: values = [],
    properties = {},
    required = [],
    items,
    ...rest
  } of variants) {
    // Replies may get more values.
    const known = value === undefined ? values : [value]
    if (isInput) for (const one of known) lines.add(`${path} may be ${JSON.stringify(one)}`)
    for (const [name, one] of Object.entries(properties))
      addField(lines, `${path}.${name}`, { schema: one, isInput, required: required.includes(name) })
    if (items) addSchema(lines, `${path}[]`, { schema: items, isInput })
    const { additionalProperties: more } = rest
    if (typeof more === 'object') addSchema(lines, `${path}{}`, { schema: more, isInput })
  }
}

const variantsOf = (schema: Schema): readonly Schema[] => {
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices) return choices.flatMap(variantsOf)
  const { type } = schema
  return Array.isArray(type) ? type.map((one: string) => ({ ...schema, type: one })) : [schema]
}

const typeOf = ({ $ref, type, const: value, enum: values }: Schema): string =>
  $ref?.split('/').at(-1) ??
  [type ?? []].flat()[0] ??
  (values ?? [value]).map((one) => (one === undefined ? 'anything' : typeof one))[0] ??
  'anything'

/** The promises that a later version breaks. What is asked of a new call, or within a new field, breaks none. */
export function findBroken(before: readonly string[], after: readonly string[]): string[] {
  const [known, kept] = [new Set(before), new Set(after)]
  const gone = before.filter((line) => !kept.has(line) && !line.includes(DEMAND))
  const subjects = new Set(before.map((line) => line.split(' ', 1)[0] ?? ''))
  const asked = after.filter((line) => {
    const [subject = ''] = line.split(' ', 1)
    return line.includes(DEMAND) && !known.has(line) && subjects.has(parentOf(subject))
  })
  return [...gone.map((line) => `no more: ${line}`), ...asked.map((line) => `new: ${line}`)]
}

/** `createPost>.targets[].account_id` is a field of `createPost>.targets[]`, and `createPost?key` of `createPost`. */
const parentOf = (subject: string): string => subject.replace(/[.?][^.?]*$/, '')

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openapi } from '#server/http/openapi.ts'
import type { Schema } from '#server/http/examples.ts'
import { type ApiDocument, findBroken, listPromises } from './api-promises.ts'

const KEPT = new URL('../../docs/api-promises.txt', import.meta.url)

it('the API keeps what the last release promised (on purpose: npm run docs:api -- --release)', () => {
  const promised = readFileSync(KEPT, 'utf8').trimEnd().split('\n')
  expect(promised.length).toBeGreaterThan(4000)
  expect(findBroken(promised, listPromises(openapi() as ApiDocument))).toEqual([]) // as the document is made
})

const object = (properties: Record<string, Schema>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const text: Schema = { type: 'string' }
const whole: Schema = { type: 'integer' }
const maybeText: Schema = { anyOf: [text, { type: 'null' }] }
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values })

/** An API of one call. */
const PARTS = {
  scope: 'write',
  color: oneOf('red', 'blue'),
  body: object({ text, tag: maybeText }, 'text'),
  reply: object({ id: whole, status: oneOf('new', 'old') }, 'id'),
  more: {} as ApiDocument['paths'], // none
}
type Parts = typeof PARTS

function listPromisesOf(changed: Partial<Parts>): string[] {
  const { scope, color, body, reply, more } = { ...PARTS, ...changed }
  const post = {
    operationId: 'createNote',
    security: [{ bearer: [scope] }],
    parameters: [{ name: 'color', schema: color }],
    requestBody: { content: { 'application/json': { schema: body } } },
    responses: {
      201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } } },
    },
  }
  return listPromises({
    paths: { '/notes': { post }, ...more },
    webhooks: {},
    components: { schemas: { Note: reply } },
  })
}
const brokenBy = (changed: Partial<Parts>) => findBroken(listPromisesOf({}), listPromisesOf(changed))

const { body, reply } = PARTS
it.each<[string, Partial<Parts>, string[]]>([
  ['another scope', { scope: 'publish' }, ['new: createNote must have publish']],
  [
    'a field that goes',
    { reply: object({ id: whole }, 'id') },
    ['no more: Note.status is never null', 'no more: Note.status is string'],
  ],
  [
    'a field that may be null now',
    { reply: object({ ...reply.properties, id: { type: ['integer', 'null'] } }, 'id') },
    ['no more: Note.id is never null'],
  ],
  [
    'a field that may be left out now',
    { reply: object({ ...reply.properties }) },
    ['no more: Note.id is always there'],
  ],
  [
    'a field of another type',
    { reply: object({ ...reply.properties, id: text }, 'id') },
    ['no more: Note.id is integer'],
  ],
  [
    'a new field that must be sent',
    { body: object({ ...body.properties, title: text }, 'text', 'title') },
    ['new: createNote>.title must be there'],
  ],
  [
    'a field that must be sent now',
    { body: object({ ...body.properties }, 'text', 'tag') },
    ['new: createNote>.tag must be there'],
  ],
  [
    'a value that is not taken any more',
    { color: oneOf('red') },
    ['no more: createNote?color may be "blue"'],
  ],
  [
    'null that is not taken any more',
    { body: object({ text, tag: text }, 'text') },
    ['no more: createNote>.tag may be null'],
  ],
])('%s breaks a promise', (_what, changed, broken) => {
  expect(brokenBy(changed)).toEqual(broken)
})

it('a call that goes breaks its promises', () => {
  const broken = findBroken(listPromisesOf({}), [])
  expect(broken).toContain('no more: createNote is POST /notes')
})

const another = {
  get: { operationId: 'more', security: [{ bearer: ['read'] }], parameters: [], responses: {} },
}
it.each<[string, Partial<Parts>]>([
  ['a new call', { more: { '/more': another } }],
  ['a new field of a reply', { reply: object({ ...reply.properties, by: text }, 'id', 'by') }],
  ['a new value in a reply', { reply: object({ id: whole, status: oneOf('new', 'old', 'gone') }, 'id') }],
  ['a new value that is taken', { color: oneOf('red', 'blue', 'green') }],
  ['a field that need not be sent any more', { body: object({ ...body.properties }) }],
  [
    'a new object with a field that it needs',
    { body: object({ ...body.properties, place: object({ x: whole }, 'x') }, 'text') },
  ],
])('%s breaks none', (_what, changed) => {
  expect(brokenBy(changed)).toEqual([])
})

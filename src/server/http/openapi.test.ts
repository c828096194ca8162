import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openapi } from './openapi.ts'

const readDocument = () => JSON.parse(JSON.stringify(openapi())) as Record<string, object>

test('the document is valid OpenAPI', async () => {
  expect(await new Validator().validate(readDocument())).toMatchObject({ valid: true })
})

test('every reference leads to a part of the document', () => {
  const document = readDocument()
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, uri = '']) => uri)
  expect(references.length).toBeGreaterThan(100)
  expect(references.filter((uri) => findPart(document, uri) === undefined)).toEqual([])
})

test('names of schemas have only the characters that OpenAPI allows', () => {
  const { components } = openapi() as { components: { schemas: object } } // as the document is made
  for (const name of Object.keys(components.schemas)) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/)
})

function findPart(document: object, uri: string): unknown {
  const keys = uri
    .replace(/^#\//, '')
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
  return keys.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined),
    document,
  )
}

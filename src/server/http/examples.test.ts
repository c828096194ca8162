import { describe, expect, it } from 'vitest'
import { API } from '#contract/api/api.ts'
import type { Endpoint } from '#contract/http/endpoint.ts'
import { openapi } from './openapi.ts'
import { exampleOf } from './examples.ts'

type Content = { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }
type Operation = {
  readonly operationId: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
const { paths } = openapi() as { paths: Record<string, Record<string, Operation>> } // as OpenAPI has it
const operations = Object.values(paths).flatMap((one) => Object.values(one))
const endpoints: Readonly<Record<string, Endpoint>> = API

describe('the examples of the API', () => {
  it.each(operations.map((one) => [one.operationId, one] as const))('%s are valid', (name, operation) => {
    const { body, reply, status } = endpoints[name] ?? { status: 0 }
    const request = operation.requestBody?.content?.['application/json']?.example
    const answer = operation.responses[status]?.content?.['application/json']?.example
    expect(request === undefined || body?.safeParse(request).success, JSON.stringify(request)).toBe(true)
    expect(answer === undefined || reply?.safeParse(answer).success, JSON.stringify(answer)).toBe(true)
  })

  it('end where a schema contains itself', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } }
    expect(JSON.stringify(exampleOf(tree, { Tree: tree }, 'all'))).toMatch(/^\{"child":.*null\}+$/)
  })
})

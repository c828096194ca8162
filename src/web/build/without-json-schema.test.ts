import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { withoutBodies } from './without-json-schema.ts'

const zod = path.dirname(createRequire(import.meta.url).resolve('zod/v4/core'))

it.each(['to-json-schema.js', 'json-schema-processors.js'])(
  '%s keeps its names and throws when called',
  async (name) => {
    const code = withoutBodies(await readFile(path.join(zod, name), 'utf8'))
    const left = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as object
    const real = (await import(path.join(zod, name))) as object
    expect(Object.keys(left).toSorted()).toEqual(Object.keys(real).toSorted())
    for (const [key, value] of Object.entries(left)) {
      const call = (key.startsWith('create') ? (value as () => unknown)() : value) as () => unknown
      expect(call).toThrow('JSON Schema is not part of the web app.')
    }
  },
)

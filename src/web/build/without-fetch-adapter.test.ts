import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { create } from 'axios'
import { expect, test } from 'vitest'

const folder = path.dirname(createRequire(import.meta.url).resolve('axios/package.json'))

test('axios asks for xhr before fetch, which the web app leaves out', () => {
  expect(create().defaults.adapter).toEqual(['xhr', 'http', 'fetch'])
  expect(existsSync(path.join(folder, 'lib/adapters/fetch.js'))).toBe(true)
})

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { http } from '#web/client/api.ts'

const axios = path.dirname(createRequire(import.meta.url).resolve('axios/package.json'))

test('axios asks for xhr before fetch, which the web app leaves out', () => {
  expect(http.defaults.adapter).toEqual(['xhr', 'http', 'fetch'])
  expect(existsSync(path.join(axios, 'lib/adapters/fetch.js'))).toBe(true)
})

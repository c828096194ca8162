import { writeFileSync } from 'node:fs'
import { openapi } from '#server/http/openapi.ts'

// `npm run docs:api`: writes docs/api.json, whose diff shows a change of the API in review.
writeFileSync(new URL('../../docs/api.json', import.meta.url), `${JSON.stringify(openapi(), null, 2)}\n`)

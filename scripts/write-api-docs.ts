import { writeFileSync } from 'node:fs'
import { openapi } from '#server/http/openapi.ts'

// Writes docs/api.json anew: its diff is how a change to the API is reviewed. Run by `npm run docs:api`.
writeFileSync(new URL('../docs/api.json', import.meta.url), `${JSON.stringify(openapi(), null, 2)}\n`)

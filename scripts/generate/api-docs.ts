import { writeFileSync } from 'node:fs'
import { openapi } from '#server/http/openapi.ts'
import { type ApiDocument, listPromises } from './api-promises.ts'

// `npm run docs:api`: writes docs/api.json, whose diff shows a change of the API in review. With `-- --release` also what it promises.
const document = openapi() as ApiDocument // as the document is made
const write = (name: string, text: string) =>
  writeFileSync(new URL(`../../docs/${name}`, import.meta.url), text)
write('api.json', `${JSON.stringify(document, null, 2)}\n`)
if (process.argv.includes('--release'))
  write(
    'api-promises.txt',
    listPromises(document)
      .map((line) => `${line}\n`)
      .join(''),
  )

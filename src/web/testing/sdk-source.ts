import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const installed = createRequire(import.meta.url).resolve('@firebase/auth')
const folder = path.join(installed.slice(0, installed.lastIndexOf('/dist/')), 'dist/esm')
/** The SDK code that browsers load. */
export const sdk = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => readFileSync(path.join(folder, file), 'utf8'))
  .join('\n')

import { fileURLToPath } from 'node:url'

/** `npm start` runs this. */
export const PROGRAM: string = fileURLToPath(new URL('../../src/server/main.ts', import.meta.url))

/** Node caches the compiled code of test processes here, which makes their next start three times as fast. */
export const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.cache/compiled', import.meta.url)),
}

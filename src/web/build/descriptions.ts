import type { Plugin } from 'vite'

/** Leaves what only the API's documentation says of fields and endpoints out of the web app. */
export const stripDescriptions = (contract: string): Plugin => ({
  name: 'reelay:strip-descriptions',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) => (id.startsWith(contract) ? { code: withoutDescriptions(code), map: null } : null),
})

export const withoutDescriptions = (code: string): string =>
  code.replaceAll(DESCRIPTION, '').replaceAll(SUMMARY, "summary: ''")

const STRING = /(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/.source
/** `.describe(…)` with one string of any quotes. */
const DESCRIPTION = new RegExp(String.raw`\s*\.describe\(\s*${STRING},?\s*\)`, 'g')
const SUMMARY = new RegExp(String.raw`\bsummary:\s*${STRING}`, 'g')

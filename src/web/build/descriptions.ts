import type { Plugin } from 'vite'

/** Leaves what only the API's documentation says of fields and endpoints out of the web app. */
export const stripDescriptions = (contract: string): Plugin => ({
  name: 'reelay:strip-descriptions',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) => (id.startsWith(contract) ? { code: withoutDescriptions(code), map: null } : null),
})

export const withoutDescriptions = (code: string): string =>
  code
    .replaceAll(DESCRIPTION, '')
    .replaceAll(TEXT, "$1: ''")
    .replaceAll(PROBLEMS, 'problems: []')
    .replaceAll(LIMITED, '')

const STRING = /(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`)/.source
/** `.describe(…)` with one string of any quotes. */
const DESCRIPTION = new RegExp(String.raw`\s*\.describe\(\s*${STRING},?\s*\)`, 'g')
const TEXT = new RegExp(String.raw`\b(summary|description|tag):\s*${STRING}`, 'g')
/** The browser reads an answer's own code. */
const PROBLEMS = /\bproblems:\s*\[[^\]]*\]/g
/** Of API keys, which no browser uses. */
const LIMITED = /\blimitedKeys:\s*'\w+',/g

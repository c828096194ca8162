import type { Plugin } from 'vite'

/** Leaves the descriptions of the contract's fields, which are for the API's documentation, out of the web app. */
export const stripDescriptions = (contract: string): Plugin => ({
  name: 'reelay:strip-descriptions',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) => (id.startsWith(contract) ? { code: withoutDescriptions(code), map: null } : null),
})

export const withoutDescriptions = (code: string): string => code.replaceAll(DESCRIPTION, '')

/** `.describe(…)` with one string of any quotes. */
const DESCRIPTION = /\s*\.describe\(\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`),?\s*\)/g

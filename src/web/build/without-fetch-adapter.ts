import type { Plugin } from 'vite'

/** Leaves axios's `fetch` adapter out of the web app: axios takes the first that a browser has, which is `xhr`. */
export const withoutFetchAdapter = (): Plugin => ({
  name: 'reelay:without-fetch-adapter',
  apply: 'build',
  transform: (_code, id) =>
    id.replaceAll('\\', '/').endsWith('/node_modules/axios/lib/adapters/fetch.js')
      ? { code: 'export const getFetch = () => null', map: null }
      : null,
})

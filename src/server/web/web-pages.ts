import { ACTION_PATH, DASHBOARD_PATH, FRONT_PAGES, REPORT_PAGE } from '#contract/http/addresses.ts'

const PAGES = new Set(
  [...Object.values(FRONT_PAGES), ACTION_PATH, REPORT_PAGE].map((path) => path.toLowerCase()),
)

/** The web app's router ignores case and a trailing slash, so old links may have either. */
export function isWebPage(url: string): boolean {
  const path = (url.split('?')[0] ?? '').toLowerCase().replace(/(?<=.)\/$/, '')
  return PAGES.has(path) || path === DASHBOARD_PATH || path.startsWith(`${DASHBOARD_PATH}/`)
}

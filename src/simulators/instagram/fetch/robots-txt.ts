import { text } from 'node:stream/consumers'
import { isOk, redirectTarget, send } from '../../kit/send.ts'

/** RFC 9309, 2.3.1.2: "at least five consecutive redirects" */
const maxRedirects = 5

/** A missing robots.txt, or an answer other than 2xx, permits everything. */
export async function mayFetch(address: URL, userAgent: string, timeoutMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs)
  let file = new URL('/robots.txt', address)
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await send(file, { headers: { 'user-agent': userAgent }, signal })
    const robots = await text(answer.body)
    if (answer.status >= 500) return false
    const redirect = redirectTarget(answer, file)
    if (redirect !== null) {
      file = redirect
      continue
    }
    // Single-page apps answer every path with their page: that is not a robots file.
    const isPage = answer.headers['content-type']?.startsWith('text/html') === true
    return !isOk(answer) || isPage || isAllowed(robots, userAgent, address.pathname + address.search)
  }
  return true
}

interface Rule {
  allow: boolean
  path: string
}

/** RFC 9309: the group of the named crawler, else that of `*`; the longest matching rule wins, `Allow` a tie. */
export function isAllowed(robots: string, userAgent: string, path: string): boolean {
  const product = userAgent.split('/')[0]?.toLowerCase() ?? ''
  const groups = readGroups(robots)
  const rules = groups.get(product) ?? groups.get('*') ?? []
  const winner = rules
    .filter((rule) => rule.path !== '' && matches(rule.path, path))
    .toSorted((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow))[0]
  return winner?.allow ?? true
}

function readGroups(robots: string): Map<string, Rule[]> {
  const groups = new Map<string, Rule[]>()
  let agents: string[] = []
  let inRules = false
  for (const line of robots.split(/\r?\n/)) {
    const [, field, value = ''] = /^\s*([\w-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/.exec(line) ?? []
    const name = field?.toLowerCase()
    if (name === 'user-agent') {
      agents = inRules ? [value.toLowerCase()] : [...agents, value.toLowerCase()]
      inRules = false
      for (const agent of agents) groups.set(agent, groups.get(agent) ?? [])
    }
    if (name === 'allow' || name === 'disallow') {
      inRules = true
      for (const agent of agents) groups.get(agent)?.push({ allow: name === 'allow', path: value })
    }
  }
  return groups
}

function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$')
  const parts = (anchored ? pattern.slice(0, -1) : pattern)
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}${anchored ? '$' : ''}`).test(path)
}

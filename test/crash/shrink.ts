import type { RunResult } from './play.ts'
import type { Scenario } from './scenario/scenario.ts'

/** Timing between processes varies: a scenario that broke a law once may need more than one try. */
const TRIES = 2

/** Finds the shortest scenario that still breaks a law by leaving out one thing after the other. */
export async function shrink(
  first: RunResult,
  replay: (scenario: Scenario) => Promise<RunResult>,
): Promise<RunResult> {
  let shortest = first
  for (let shorter = true; shorter;) {
    shorter = false
    for (const scenario of shorten(shortest.scenario)) {
      const broken = await breaks(scenario, replay)
      if (broken === null) continue
      shortest = broken
      shorter = true
      break
    }
  }
  return shortest
}

async function breaks(
  scenario: Scenario,
  replay: (scenario: Scenario) => Promise<RunResult>,
): Promise<RunResult | null> {
  for (let tries = 0; tries < TRIES; tries++) {
    const played = await replay(scenario)
    if (played.broken.length > 0) return played
  }
  return null
}

function shorten(scenario: Scenario): Scenario[] {
  const { events, accounts, posts, workers } = scenario
  const named = events.flatMap((one) =>
    one.type === 'action' && 'account' in one.action ? [one.action.account] : [],
  )
  const needed = Math.max(0, ...named) + 1
  return [
    ...events.map((_, left) => ({ ...scenario, events: events.filter((__, at) => at !== left) })),
    ...(accounts.length > needed ? [{ ...scenario, accounts: accounts.slice(0, -1) }] : []),
    ...(posts > 1 ? [{ ...scenario, posts: posts - 1 }] : []),
    ...(workers > 1 ? [{ ...scenario, workers: 1 as const }] : []),
  ]
}

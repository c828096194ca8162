import { openLane, type Lane } from './lane.ts'
import { noCounts } from './checker.ts'
import { play, type RunResult } from './play.ts'
import type { Scenario } from './scenario/scenario.ts'
import { shrink } from './shrink.ts'

export type Plan = {
  readonly scenarios: readonly Scenario[]
  /** Concurrent runs, each in its own Reelay. */
  readonly lanes: number
  /** Gives up after this many runs that broke a law. */
  readonly maxBroken: number
  /** Searches for the shortest scenario that still breaks a law. */
  readonly shrink: boolean
  /** Ends it early; current runs are completed. */
  readonly signal?: AbortSignal
  /** Called after every run. */
  readonly onPlayed?: (played: RunResult) => void
}

export type Report = {
  readonly played: readonly RunResult[]
  /** Runs that broke a law, each with the shortest scenario that still breaks one. */
  readonly broken: readonly { readonly first: RunResult; readonly shortest: RunResult }[]
}

/** Scenarios are not fully deterministic: their timing depends on the machine. */
export async function crash(plan: Plan): Promise<Report> {
  const pending = [...plan.scenarios]
  const played: RunResult[] = []
  const broken: { first: RunResult; shortest: RunResult }[] = []
  const work = async () => {
    let lane: Lane | null = null
    try {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
        if (broken.length >= plan.maxBroken || plan.signal?.aborted) return
        lane ??= await openLane()
        const one = await playOn(lane, next)
        played.push(one)
        plan.onPlayed?.(one)
        if (one.broken.length === 0) continue
        // The cause may still be there.
        await lane.stop()
        lane = null
        if (broken.length >= plan.maxBroken) return
        broken.push({ first: one, shortest: plan.shrink ? await shrink(one, playAfresh) : one })
      }
    } finally {
      await lane?.stop()
    }
  }
  await Promise.all(Array.from({ length: plan.lanes }, work))
  return { played, broken }
}

async function playAfresh(scenario: Scenario): Promise<RunResult> {
  const lane = await openLane()
  try {
    return await playOn(lane, scenario)
  } finally {
    await lane.stop()
  }
}

/** A stage that cannot be set up counts as a broken law: nothing may make the servers unusable. */
async function playOn(lane: Lane, scenario: Scenario): Promise<RunResult> {
  try {
    return await play(lane, scenario)
  } catch (error) {
    return {
      scenario,
      broken: [`the run could not be played: ${error instanceof Error ? error.message : String(error)}`],
      counts: noCounts(),
      recoveryS: 0,
      timeline: [lane.takeLog()],
    }
  }
}

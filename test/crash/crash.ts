import { openLane, type Lane } from './lane.ts'
import { play, type Played } from './play.ts'
import { drawScenario, type Scenario } from './scenario.ts'
import { shrink } from './shrink.ts'

export type Plan = {
  readonly seed: number
  /** The numbers of the runs. */
  readonly runs: readonly number[]
  /** How many are played at the same time, each in a Reelay of its own. */
  readonly lanes: number
  /** Gives up after so many runs that broke a law. */
  readonly maxBroken: number
  /** Whether to look for the shortest scenario that breaks a law where one did. */
  readonly shrink: boolean
  /** Told of every run when it is over. */
  readonly onPlayed?: (played: Played) => void
}

export type Report = {
  readonly played: readonly Played[]
  /** Those that broke a law, each with the shortest scenario that still breaks one. */
  readonly broken: readonly { readonly first: Played; readonly shortest: Played }[]
}

/** Plays the scenarios of a seed. The same seed and number are the same scenario; what the machine does with it may differ. */
export async function crash(plan: Plan): Promise<Report> {
  const queue = [...plan.runs]
  const played: Played[] = []
  const broken: { first: Played; shortest: Played }[] = []
  const work = async () => {
    let lane: Lane | null = null
    try {
      for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
        if (broken.length >= plan.maxBroken) return
        lane ??= await openLane()
        const one = await playOn(lane, drawScenario(plan.seed, run))
        played.push(one)
        plan.onPlayed?.(one)
        if (one.broken.length === 0) continue
        // Whatever broke it may still be there.
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

async function playAfresh(scenario: Scenario): Promise<Played> {
  const lane = await openLane()
  try {
    return await playOn(lane, scenario)
  } finally {
    await lane.stop()
  }
}

/** A stage that cannot be set up is a broken law, too: nothing may make the servers unusable. */
async function playOn(lane: Lane, scenario: Scenario): Promise<Played> {
  try {
    return await play(lane, scenario)
  } catch (error) {
    return {
      scenario,
      broken: [`the run could not be played: ${error instanceof Error ? error.message : String(error)}`],
      counts: {
        deliveries: 0,
        published: 0,
        kills: 0,
        faults: 0,
        deeds: 0,
        unconfirmed: 0,
        linkedAgain: 0,
        triedAgain: 0,
      },
      recoveryS: 0,
      timeline: [lane.takeLog()],
    }
  }
}

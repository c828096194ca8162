import { expect, it } from 'vitest'
import { crash } from './crash.ts'
import { drawScenario, FIRST_RUNS } from './scenario/draw.ts'

// The first runs kill a worker at each of its points in turn; later ones are random. `npm run crash` plays more.
const RUNS = FIRST_RUNS.length + 11

it(`${RUNS} runs of kills and faults double nothing, lose nothing and tell the truth`, async () => {
  const scenarios = Array.from({ length: RUNS }, (_, run) => drawScenario(1, run))
  const { played, broken } = await crash({ scenarios, lanes: 2, maxBroken: 1, shrink: true })
  expect(
    broken.map(({ shortest }) => ({
      laws: shortest.broken,
      schedule: shortest.scenario,
      timeline: shortest.timeline,
    })),
  ).toEqual([])
  expect(played).toHaveLength(RUNS)
  // A suite in which nothing happens proves nothing.
  expect(played.reduce((sum, { counts }) => sum + counts.kills, 0)).toBeGreaterThan(RUNS / 2)
  expect(played.reduce((sum, { counts }) => sum + counts.faults, 0)).toBeGreaterThan(RUNS / 8)
}, 1_800_000)

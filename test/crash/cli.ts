// `npm run crash -- --runs N --seed S`: plays N runs of kills and faults, and says what came of them.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { crash } from './crash.ts'
import type { Counts, Played } from './play.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** The number of the first run: `--from 17 --runs 1` plays run 17 alone. */
    from: { type: 'string', default: '0' },
    lanes: { type: 'string', default: String(Math.max(2, Math.ceil(availableParallelism() * 1.5))) },
    'max-broken': { type: 'string', default: '3' },
    'as-is': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const [runs, seed, from, lanes, maxBroken] = [
  values.runs,
  values.seed,
  values.from,
  values.lanes,
  values['max-broken'],
].map(Number)
if ([runs, seed, from, lanes, maxBroken].some((value) => !Number.isSafeInteger(value))) {
  console.error('--runs, --seed, --from, --lanes and --max-broken are whole numbers.')
  process.exit(2)
}

const begun = Date.now()
let over = 0
const report = await crash({
  seed: seed ?? 1,
  runs: Array.from({ length: runs ?? 0 }, (_, index) => (from ?? 0) + index),
  lanes: lanes ?? 2,
  maxBroken: maxBroken ?? 3,
  shrink: !values['as-is'],
  onPlayed: (played) => {
    over += 1
    if (values.verbose) console.log(lineOf(played))
    else if (over % 50 === 0) console.log(`${over} of ${runs} runs, ${minutes(begun)}`)
  },
})

for (const { first, shortest } of report.broken) {
  console.log(`\nBROKEN: seed ${first.scenario.seed}, run ${first.scenario.run}`)
  for (const law of first.broken) console.log(`  ${law}`)
  console.log(`The shortest schedule that breaks a law:\n${JSON.stringify(shortest.scenario, null, 2)}`)
  for (const law of shortest.broken) console.log(`  ${law}`)
  console.log(`Its timeline:\n${shortest.timeline.join('\n')}`)
  console.log(
    `Again: npm run crash -- --seed ${first.scenario.seed} --from ${first.scenario.run} --runs 1 --verbose`,
  )
}
console.log(`\n${summaryOf(report.played)}`)
process.exit(report.broken.length > 0 ? 1 : 0)

function lineOf({ scenario, broken, recoveryS, counts, timeline }: Played): string {
  const laws = broken.length > 0 ? `BROKEN: ${broken.join('; ')}` : 'well'
  const what = `run ${scenario.run}: ${laws}, ${counts.published} of ${counts.deliveries} live, back after ${recoveryS.toFixed(1)} s`
  return runs === 1 ? `${JSON.stringify(scenario)}\n${timeline.join('\n')}\n${what}` : what
}

function summaryOf(played: readonly Played[]): string {
  const sum = (name: keyof Counts) => played.reduce((total, { counts }) => total + counts[name], 0)
  const laws = played.flatMap(({ broken }) => broken)
  const slowest = played.toSorted((a, b) => b.recoveryS - a.recoveryS)[0]
  return [
    `${played.length} runs of seed ${seed} in ${minutes(begun)}: ${sum('deliveries')} deliveries`,
    `${sum('kills')} processes killed, ${sum('faults')} answers lost or false, ${sum('deeds')} other events`,
    `${laws.filter((law) => /doubled|once more/.test(law)).length} duplicates, ${laws.filter((law) => /lost|vanished|still/.test(law)).length} lost, ${laws.length} broken laws in all`,
    `${sum('unconfirmed')} unconfirmed until the user said so, ${sum('linkedAgain')} linked again, ${sum('triedAgain')} tried again by the user`,
    `longest recovery ${slowest === undefined ? 0 : slowest.recoveryS.toFixed(1)} s (run ${slowest?.scenario.run})`,
  ].join('\n')
}

function minutes(since: number): string {
  return `${((Date.now() - since) / 60_000).toFixed(1)} min`
}

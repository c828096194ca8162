// `npm run crash -- --runs N --seed S`: plays N runs of kills and faults, and reports them. `npm run crash -- uploads`:
// sends a video of 4 GB through 20 kills of the server. `npm run crash -- mutations`: checks that runs notice each removed
// rule.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { crash } from './crash.ts'
import type { Counts } from './checker.ts'
import type { RunResult } from './play.ts'
import { runUploads } from './uploads/cli.ts'
import { runMutations } from './run-mutations.ts'
import { drawScenario } from './scenario/draw.ts'
import type { Scenario } from './scenario/scenario.ts'

const [what, ...rest] = process.argv.slice(2)
if (what === 'uploads') process.exit(await runUploads(rest))
if (what === 'mutations') process.exit(await runMutations(rest))

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** The number of the first run: `--from 17 --runs 1` plays only run 17. */
    from: { type: 'string', default: '0' },
    schedule: { type: 'string' },
    lanes: { type: 'string', default: String(Math.max(2, Math.ceil(availableParallelism() * 1.5))) },
    'max-broken': { type: 'string', default: '3' },
    /** Does not search for the shortest schedule. */
    'as-is': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

const begun = Date.now()
const scenarios = values.schedule === undefined ? draw() : [read(values.schedule)]
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
let over = 0
const report = await crash({
  scenarios,
  signal: stopping.signal,
  lanes: whole('lanes'),
  maxBroken: whole('max-broken'),
  shrink: !values['as-is'],
  onPlayed: (played) => {
    over += 1
    if (values.verbose) console.log(formatLine(played))
    else if (over % 50 === 0) console.log(`${over} of ${scenarios.length} runs, ${minutes()}`)
  },
})
for (const { first, shortest } of report.broken) tellBroken(first, shortest)
console.log(`\n${formatSummary(report.played)}`)
process.exit(report.broken.length > 0 ? 1 : 0)

function draw(): Scenario[] {
  const [seed, from] = [whole('seed'), whole('from')]
  return Array.from({ length: whole('runs') }, (_, index) => drawScenario(seed, from + index))
}

/** The format that this program prints. */
function read(file: string): Scenario {
  return JSON.parse(readFileSync(file, 'utf8')) as Scenario
}

function whole(name: 'runs' | 'seed' | 'from' | 'lanes' | 'max-broken'): number {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  console.error(`--${name} must be a whole number, not ${values[name]}.`)
  process.exit(2)
}

function formatLine({ scenario, broken, recoveryS, counts, timeline }: RunResult): string {
  const laws = broken.length > 0 ? `BROKEN: ${broken.join('; ')}` : 'well'
  const line = `run ${scenario.run}: ${laws}, ${counts.published} of ${counts.deliveries} live, back after ${recoveryS.toFixed(1)} s`
  return scenarios.length === 1 ? `${JSON.stringify(scenario)}\n${timeline.join('\n')}\n${line}` : line
}

function tellBroken(first: RunResult, shortest: RunResult): void {
  const { seed, run } = first.scenario
  console.log(`\nBROKEN: seed ${seed}, run ${run}`)
  for (const law of first.broken) console.log(`  ${law}`)
  console.log(`The shortest schedule that breaks a law:\n${JSON.stringify(shortest.scenario, null, 2)}`)
  for (const law of shortest.broken) console.log(`  ${law}`)
  console.log(`Its timeline:\n${shortest.timeline.join('\n')}`)
  console.log(`Again: npm run crash -- --seed ${seed} --from ${run} --runs 1 --verbose`)
}

function formatSummary(played: readonly RunResult[]): string {
  const sum = (name: keyof Counts) => played.reduce((total, { counts }) => total + counts[name], 0)
  const laws = played.flatMap(({ broken }) => broken)
  const count = (law: RegExp) => laws.filter((one) => law.test(one)).length
  const slowest = played.toSorted((a, b) => b.recoveryS - a.recoveryS)[0]
  return [
    `${played.length} runs in ${minutes()}: ${sum('deliveries')} deliveries, ${sum('published')} live, ${sum('givenUp')} given up by the user`,
    `${sum('kills')} processes killed, ${sum('faults')} answers lost, late or false, ${sum('actions')} other events`,
    `${sum('comments')} first comments asked for, ${sum('commented')} known to be there; ${sum('drafts')} drafts in an inbox`,
    `${count(/doubled|once more/)} duplicates, ${count(/lost|vanished|still/)} lost, ${laws.length} broken laws in all`,
    `${sum('unconfirmed')} unconfirmed until the user said so, ${sum('linkedAgain')} linked again, ${sum('triedAgain')} tried again by the user, ${sum('sentAgain')} sent again as newer posts, ${sum('dismissed')} dismissed`,
    `longest recovery ${slowest === undefined ? 0 : slowest.recoveryS.toFixed(1)} s (run ${slowest?.scenario.run})`,
  ].join('\n')
}

function minutes(): string {
  return `${((Date.now() - begun) / 60_000).toFixed(1)} min`
}

/**
 * How soon a second `npm start` answers, practice platforms included, beside the server's own process started directly and an npm
 * that starts nothing. `npm run bench -- start [turns]`
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makePlace, removePlace, startIn, type Place } from './npm-start.ts'
import { usageOf } from '../processes.ts'
import { report } from '../report.ts'

const PROMISE_S = 1.5
const turns = Number(process.argv[2] ?? 7)
/** The bundle that `npm start` runs, as `scripts/ready.mjs` names it. */
const { SERVER_PROGRAM: program } = process.env
if (program === undefined) throw new Error('SERVER_PROGRAM is not set: npm run bench -- start')
const COMPILED = { NODE_COMPILE_CACHE: path.join(path.dirname(program), 'compiled') }

type Figures = {
  readonly npm: number[]
  readonly direct: number[]
  readonly ours: number[]
  readonly cpu: number[]
}

const place = await makePlace()
try {
  const figures: Figures = { npm: [], direct: [], ours: [], cpu: [] }
  // Makes the database and fills the caches.
  for (let i = 0; i < 2; i++) await (await startIn(place, ['npm', 'start'])).stop()
  for (let i = 0; i < turns; i++) await measure(place, program, figures)
  const floor = figures.npm.map((seconds, i) => seconds + (figures.direct[i] ?? NaN))
  report({
    name: 'start',
    about: `A second \`npm start\` until its first answer, ${turns} turns. Floor: the server started directly, and an npm that starts nothing.`,
    rows: [
      { what: 'the server started directly', unit: 's', ours: figures.direct },
      { what: 'npm that starts nothing', unit: 's', ours: figures.npm },
      { what: 'npm start, beside both', unit: 's', floor, ours: figures.ours },
      { what: 'npm start', unit: 's', ours: figures.ours, promise: { atMost: PROMISE_S } },
      { what: 'its processor time', unit: 's', ours: figures.cpu },
    ],
  })
} finally {
  await removePlace(place)
}

async function measure(at: Place, server: string, figures: Figures): Promise<void> {
  figures.npm.push(await idleNpm(at))
  const direct = { ...at, env: { ...at.env, ...COMPILED } }
  const alone = await startIn(direct, ['node', server])
  figures.direct.push(alone.seconds)
  await alone.stop()
  const whole = await startIn(at, ['npm', 'start'])
  figures.ours.push(whole.seconds)
  figures.cpu.push(usageOf([whole.pid]).cpuS)
  await whole.stop()
}

async function idleNpm({ dir, env }: Place): Promise<number> {
  const folder = path.join(dir, 'nothing')
  await mkdir(folder, { recursive: true })
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'nothing', scripts: { start: 'true' } }),
  )
  const began = performance.now()
  const child = spawn('npm', ['start'], { cwd: folder, env, stdio: 'ignore' })
  await once(child, 'exit')
  return (performance.now() - began) / 1000
}

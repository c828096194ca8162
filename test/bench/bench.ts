/**
 * `npm run bench` measures every promise that has a bench; `npm run bench -- lists` one of them, with what else is given.
 * `--write` puts the tables into docs/performance.md.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startTestDatabases } from '../support/database/test-database.ts'
import { machine, type Report, table } from './report.ts'

const PARTS = ['lists', 'scale', 'limits', 'uploads', 'pages', 'burst', 'send', 'start']
const DOCUMENT = new URL('../../docs/performance.md', import.meta.url)

const given = process.argv.slice(2)
const [asked, ...args] = given.filter((one) => one !== '--write')
if (asked !== undefined && !PARTS.includes(asked)) {
  console.error(`Usage: npm run bench -- [${PARTS.join(' | ')}] [--write]`)
  process.exit(2)
}
const stopDatabases = await startTestDatabases() // for the children
for (const name of PARTS) {
  if (asked !== undefined && asked !== name) continue
  console.log(`\n${name}`)
  const made = await run(name)
  if (made === null || !given.includes('--write')) continue
  const text = await readFile(DOCUMENT, 'utf8')
  await writeFile(DOCUMENT, withFigures(text, name, made))
}
await stopDatabases()

/** null if it broke off. */
async function run(name: string): Promise<Report | null> {
  const child = fork(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), args)
  let made: Report | null = null
  child.on('message', (message) => (made = message as Report)) // the one that `report` sends
  await once(child, 'exit')
  if (child.exitCode !== 0) process.exitCode = 1
  return made
}

/** Replaces what stands between the two marks of this bench. */
function withFigures(text: string, name: string, made: Report): string {
  const [from, to] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const [start, end] = [text.indexOf(from), text.indexOf(to)]
  if (start < 0 || end < start)
    throw new Error(`${DOCUMENT.pathname} has no place for ${name}: ${from} … ${to}`)
  const date = new Date().toISOString().slice(0, 10)
  const figures = `${made.about}\n\n${date}; ${machine()}.\n\n${table(made.rows)}`
  return `${text.slice(0, start + from.length)}\n${figures}\n${text.slice(end)}`
}

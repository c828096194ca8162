// `npm run bench` measures everything that there is a floor for; `npm run bench -- logins` one of it, with what else is given.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ALL = ['ingest', 'tus', 'logins']
const [asked, ...args] = process.argv.slice(2)
if (asked !== undefined && !ALL.includes(asked)) {
  console.error(`Usage: npm run bench -- [${ALL.join(' | ')}]`)
  process.exit(2)
}
for (const name of asked === undefined ? ALL : [asked]) {
  console.log(`\n${name}`)
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' })
  await once(child, 'exit')
  if (child.exitCode !== 0) process.exitCode = 1
}

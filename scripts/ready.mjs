// What `npm start`, `npm test`, `npm run crash` and `npm run keys` run first, on whatever Node is there (20 or later), with nothing installed yet: gets
// Node 24, the packages and the built web app, each only when it is missing, then hands over.
import { ensureNode, ensurePackages } from './install.mjs'
import { follow } from './follow.mjs'
import { Stop } from './run.mjs'
import { ensureWeb } from './web-build.mjs'

const [task, ...args] = process.argv.slice(2)
try {
  const node = await ensureNode()
  await ensurePackages(node)
  if (task === 'start') {
    await ensureWeb(node)
    await follow(node, ['src/server/main.ts', ...args])
  } else if (task === 'test') {
    await follow(node, ['scripts/check.mjs', ...args])
  } else if (task === 'crash') {
    await follow(node, ['test/crash/cli.ts', ...args])
  } else if (task === 'keys') {
    await follow(node, ['src/server/identity/keys-cli.ts', ...args])
  } else {
    throw new Stop('Usage: node scripts/ready.mjs start|test|crash|keys')
  }
} catch (error) {
  if (!(error instanceof Error)) throw error
  // A system error (a full disk, a read-only checkout) is the machine's, and one line says it as well as a stack does.
  const expected = error instanceof Stop || 'syscall' in error
  process.stderr.write(`${expected ? error.message : error.stack}\n`)
  process.exitCode = 1
}

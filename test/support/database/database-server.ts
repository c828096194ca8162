// An embedded PostgreSQL in its own process, for tests, in the given folder or a temporary one. Prints its addresses and
// ends when its standard input closes, with the process that started it.
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbeddedPostgres } from '#server/db/embedded.ts'
import { copyCluster } from './cluster.ts'

const given = process.argv[2]
const base = given ?? (await mkdtemp(path.join(tmpdir(), 'reelay-test-')))
if (given === undefined) await chmod(base, 0o711) // for the database's own account, where we are root

const dir = path.join(base, 'postgres')
await copyCluster(dir)
const { url, adminUrl, stop } = await startEmbeddedPostgres({
  dir,
  say: console.error,
  durable: false,
})
console.log(JSON.stringify({ url, adminUrl }))
await once(process.stdin.resume(), 'close')
await stop()
if (given === undefined) await rm(base, { recursive: true })

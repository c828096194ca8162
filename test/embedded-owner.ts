// A server as far as the database goes: takes the embedded one in the folder given, says so, and lives until it is killed.
import { startEmbeddedPostgres } from '#server/db/embedded.ts'

const dir = process.argv[2]
if (!dir) throw new Error('Usage: embedded-owner.ts <dir>')
const { url } = await startEmbeddedPostgres({ dir, say: () => {}, durable: false })
console.log(url)
setInterval(() => {}, 1000)

import { parseArgs } from 'node:util'
import { startPractice, type Practice } from './practice.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4401' },
    host: { type: 'string', default: '127.0.0.1' },
    dir: { type: 'string', default: './data/practice' },
    'app-url': { type: 'string', default: 'http://localhost:4400' },
    'mailbox-dir': { type: 'string' },
    token: { type: 'string' },
  },
})

const mailboxDir = values['mailbox-dir']
const practice = await startPractice({
  port: Number(values.port),
  host: values.host,
  dir: values.dir,
  appUrl: values['app-url'],
  ...(mailboxDir === undefined ? {} : { mailboxDir }),
  ...(values.token === undefined ? {} : { token: values.token }),
}).catch((error: unknown) => giveUp(error))

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(practice))
// The parent process is gone.
process.once('disconnect', () => void stop(practice))

// Last, because the reader of this line may kill the process at once.
console.log(`Practice platforms at http://localhost:${practice.port}`)
process.send?.({ ready: true, port: practice.port })

async function stop(running: Practice): Promise<void> {
  await running.close()
  process.exit(0)
}

function giveUp(error: unknown): never {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  console.error(
    taken
      ? `Practice platforms: port ${values.port} is taken by another program. Set PRACTICE_PORT to a free one.`
      : `Practice platforms: cannot start: ${error instanceof Error ? error.message : String(error)}`,
  )
  process.exit(1)
}

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILED } from '../../support/program.ts'
import { makeTemporaryFolder } from '../../support/database/temporary-folder.ts'
import { freePort } from '../../support/ports/free-port.ts'
import { control } from '../../support/test-server.ts'

const PROGRAM = fileURLToPath(new URL('reelay.ts', import.meta.url))

/**
 * One Reelay for the whole run, started like a user's: server, worker, database and practice platforms, in a temporary
 * folder. The environment tells the tests its address. @returns a function that stops and deletes it
 */
export default async function startReelay(): Promise<() => Promise<void>> {
  const removeFolder = await makeTemporaryFolder()
  const dir = await mkdtemp(path.join(tmpdir(), 'data-'))
  // As root: the database's own account must be able to enter it, or its files would be elsewhere and remain.
  await chmod(dir, 0o711)
  const [port, practicePort] = [await freePort(), await freePort()]
  const child = fork(PROGRAM, {
    // Not our whole environment: keys of real platforms in it would direct the tests there.
    env: {
      ...only(['PATH', 'HOME', 'TMPDIR', 'SystemRoot']),
      PORT: String(port),
      PRACTICE_PORT: String(practicePort),
      DATA_DIR: dir,
      LOG_LEVEL: 'error',
      ...COMPILED,
    },
    execArgv: [],
    // The channel tells it when this process dies.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    await removeFolder()
  }
  try {
    await ready(child)
    const practiceUrl = `http://localhost:${practicePort}`
    await control(practiceUrl, 'POST', '/_control/settings', {
      tiktok_processing_ms: 300,
      tiktok_moderation_ms: 300,
      instagram_processing_ms: 300,
      youtube_processing_ms: 300,
    })
    process.env['REELAY_URL'] = `http://localhost:${port}`
    process.env['REELAY_PRACTICE_URL'] = practiceUrl
    process.env['REELAY_SHARED_DIR'] = dir
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

/** Keeps reading: an unread pipe ends the process that writes to it. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Reelay is at')) resolve()
    })
    child.once('exit', () => reject(new Error('Reelay ended before it was ready.')))
  })
}

const only = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, process.env[name]]))

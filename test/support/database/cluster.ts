import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '#server/db/embedded.ts'
import { migrate } from '#server/db/migrate.ts'
import { freePort } from '../ports/free-port.ts'

/**
 * Makes an empty, migrated embedded database for `copyCluster` in this process and its children, at half the cost of
 * `initdb`. Sets TEST_CLUSTER. @returns a function that deletes it
 */
export async function makeCluster(): Promise<() => Promise<void>> {
  const base = await mkdtemp(path.join(tmpdir(), 'reelay-cluster-'))
  await chmod(base, 0o711) // for the database's own account, where we are root
  const dir = path.join(base, 'postgres')
  const { url, stop } = await startEmbeddedPostgres({ dir, say: console.error, durable: false })
  await migrate(url)
  await stop()
  process.env['TEST_CLUSTER'] = dir
  return () => rm(base, { recursive: true })
}

/** Replaces the `initdb` of the first start in this folder; does nothing without TEST_CLUSTER or if a database exists. */
export async function copyCluster(dir: string): Promise<void> {
  const template = process.env['TEST_CLUSTER']
  if (template === undefined) return
  const isNew =
    (await mkdir(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })) !== undefined
  if (!isNew) return
  const copied = ['cluster', 'password'].map((name) => path.join(template, name))
  // Node's own copy would not keep the owner.
  await promisify(execFile)('cp', ['-a', ...copied, dir])
  // PostgreSQL's own choice may be taken before it listens there.
  await writeFile(path.join(dir, 'port'), `${await freePort()}\n`)
}

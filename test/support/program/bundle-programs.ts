import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The files to start. */
export type Programs = {
  /** What `npm start` runs. */
  readonly main: string
  readonly worker: string
  readonly server: string
  readonly platforms: string
  /** Where Node keeps what it has compiled of them. */
  readonly compiled: string
}

const BUNDLE = fileURLToPath(new URL('bundle-process.ts', import.meta.url))
/** Below the packages: native code is not bundled. */
const PLACE = fileURLToPath(new URL('../../../.cache/programs', import.meta.url))

/** Bundles today's code. `remove` when no process runs it any more. */
export async function bundlePrograms(): Promise<Programs & { remove(): Promise<void> }> {
  await mkdir(PLACE, { recursive: true })
  const dir = await mkdtemp(`${PLACE}/`)
  await promisify(execFile)(process.execPath, [BUNDLE, dir])
  const at = (name: string) => path.join(dir, `${name}.mjs`)
  return {
    main: at('main'),
    worker: at('worker'),
    server: at('server'),
    platforms: at('platforms'),
    compiled: path.join(dir, 'compiled'),
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

// Bundles the programs of the tests into the folder given, so that a process starts in half of the processor time: many are started
// only to be killed. A process of its own, because Vite sets NODE_ENV where it runs.
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { bundleOf, PROGRAMS } from '#server/build/bundle.ts'

const outDir = process.argv[2]
if (outDir === undefined) throw new Error('Usage: node bundle-process.ts FOLDER')

const crash = (name: string): string =>
  fileURLToPath(new URL(`../../crash/processes/${name}.ts`, import.meta.url))
const programs = {
  ...PROGRAMS,
  worker: crash('worker'),
  server: crash('server'),
  platforms: crash('platforms'),
}
const how = bundleOf(programs)
await build({ ...how, build: { ...how.build, outDir } })

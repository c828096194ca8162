// Bundles the programs of the crash suite into the folder given, so that a process starts in a third of the processor time:
// a run kills most of those that it starts. A process of its own, because Vite sets NODE_ENV where it runs.
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const outDir = process.argv[2]
if (outDir === undefined) throw new Error('Usage: node bundle.ts FOLDER')

/** Modules find their files beside their source, wherever their code runs. */
const inPlace: Plugin = {
  name: 'in-place',
  transform(code, id) {
    if (!path.isAbsolute(id) || !code.includes('import.meta.')) return null
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id)))
  },
}

await build({
  root,
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: 'error',
  plugins: [inPlace],
  // Native code stays where it is.
  ssr: { noExternal: true, external: ['@node-rs/argon2'] },
  build: {
    ssr: true,
    outDir,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(
        ['worker', 'server', 'platforms'].map((name) => [
          name,
          fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
        ]),
      ),
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
})

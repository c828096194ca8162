import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InlineConfig, Plugin } from 'vite'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Native code is not bundled. */
const EXTERNAL = ['@node-rs/argon2']

/** A program's name, and its source file. */
export type Programs = { readonly [name: string]: string }

const source = (file: string): string => path.join(ROOT, 'src', file)

/** What `npm start` starts, and what that starts. */
export const PROGRAMS: Programs = {
  main: source('server/main.ts'),
  'facts-reader': source('server/videos/facts-reader.ts'),
  'file-reader': source('server/csv/file-reader.ts'),
  practice: source('simulators/main.ts'),
  'read-facts': source('simulators/kit/inspection/read-facts.ts'),
}

/**
 * How Vite bundles programs with all that they import, as `NAME.mjs`: Node then loads a few files instead of 1,300. Their folder
 * (`outDir`) is below the packages, where native code is found. See `docs/decisions/0039-npm-start-runs-bundles.md`.
 */
export const bundleOf = (programs: Programs): InlineConfig => ({
  root: ROOT,
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: 'error',
  plugins: [findFiles(programs)],
  ssr: { noExternal: true, external: EXTERNAL },
  build: {
    ssr: true,
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: { ...programs },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
})

/** A module that starts a bundled program starts the bundle; whatever else it looks for it finds beside its source. */
function findFiles(programs: Programs): Plugin {
  let outDir = ''
  return {
    name: 'find-files',
    configResolved: (config) => {
      outDir = path.resolve(config.root, config.build.outDir)
    },
    transform(code, id) {
      if (!path.isAbsolute(id) || !code.includes('import.meta.')) return null
      const from = path.dirname(id)
      // Relative, so that a checkout may be moved.
      const [file, folder] = [id, from].map((place) =>
        JSON.stringify(path.relative(outDir, place).replaceAll(path.sep, '/')),
      )
      const nameOf = (address: string) =>
        Object.keys(programs).find((name) => programs[name] === path.resolve(from, address))
      return code.replaceAll(PLACES, (place: string, address?: string) => {
        const name = address === undefined ? undefined : nameOf(address)
        if (name !== undefined) return `new URL('${name}.mjs', import.meta.url)`
        return place
          .replace('import.meta.url', `new URL(${file}, import.meta.url).href`)
          .replace('import.meta.dirname', `(import.meta.dirname + '/' + ${folder})`)
      })
    },
  }
}
const PLACES = /new URL\(['"]([^'"]+)['"], import\.meta\.url\)|import\.meta\.(?:url|dirname)/g

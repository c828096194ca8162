import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import about from '../../package.json' with { type: 'json' }

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** `npm pack dist/cli` makes a package of it that needs no other. */
const packageFile = {
  name: about.name,
  version: about.version,
  description: 'Posts videos through a Reelay server, exactly once each.',
  license: about.license,
  type: 'module',
  bin: { reelay: 'reelay.mjs' },
  engines: about.engines,
}

/** One file that Node 20 runs without packages: what `npx reelay` and `GET /cli/reelay.mjs` give out. */
export default defineConfig({
  root: here('.'),
  publicDir: false,
  ssr: { noExternal: true },
  plugins: [
    {
      name: 'package-file',
      generateBundle() {
        const source = JSON.stringify(packageFile, null, 2)
        this.emitFile({ type: 'asset', fileName: 'package.json', source })
      },
    },
  ],
  build: {
    ssr: here('main.ts'),
    outDir: here('../../dist/cli'),
    emptyOutDir: true,
    target: 'node20',
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: { entryFileNames: 'reelay.mjs', codeSplitting: false, banner: `// reelay ${about.version}` },
    },
  },
})

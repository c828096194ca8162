import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

export type Page = {
  /** As people call it. */
  readonly name: string
  /** The modules it needs before its first paint, beside the entry: their addresses from the web app's root. */
  readonly modules: readonly string[]
  /** Of script and style, gzipped (1 kB = 1000 bytes). */
  readonly maxBytes: number
}

/** Ends the build, before a file is written, where a page weighs more before its first paint than it may. */
export function weighPages(pages: readonly Page[]): Plugin {
  return {
    name: 'reelay:weigh-pages',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const page of pages) {
          const bytes = weigh(bundle, page.modules)
          if (bytes > page.maxBytes) this.error(tooHeavy(page, bytes))
          this.info(`${page.name}: ${inKb(bytes)} of ${inKb(page.maxBytes)} kB before the first paint`)
        }
      },
    },
  }
}

const tooHeavy = ({ name, maxBytes }: Page, bytes: number): string =>
  `The ${name} page would load ${inKb(bytes)} kB of script and style (gzip) before its first paint; it may load ` +
  `${inKb(maxBytes)} kB. Load on demand what it does not show at once, or find what was pulled in by an import.`

const inKb = (bytes: number): string => (bytes / 1000).toFixed(1)

/** The scripts that hold the entry and these modules, all that those import at once, and the styles of all of them. */
function weigh(bundle: Rolldown.OutputBundle, modules: readonly string[]): number {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
  const wanted = modules.map((module) => {
    const found = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(`/${module}`)))
    if (!found)
      throw new Error(`${module} is in no script of the build: the budget names a file that is gone.`)
    return found
  })
  const files = new Set<string>()
  const add = (chunk: Rolldown.OutputChunk): void => {
    if (files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) add(other)
  }
  for (const chunk of [...chunks.filter(({ isEntry }) => isEntry), ...wanted]) add(chunk)
  return [...files].reduce((sum, file) => sum + gzipped(bundle[file]), 0)
}

function gzipped(output: Rolldown.OutputBundle[string] | undefined): number {
  if (!output) return 0
  return gzipSync(output.type === 'chunk' ? output.code : output.source).length
}

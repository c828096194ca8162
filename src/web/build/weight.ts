import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

export type Page = {
  readonly name: string
  /** The modules of the first screen besides the entry: paths from the web app's root. */
  readonly modules: readonly string[]
  /** Limit for script and style before the first paint, gzipped. */
  readonly maxBytes: number
}

/** Fails the build, before any file is written, when a page exceeds its limit. */
export function weighPages(pages: readonly Page[]): Plugin {
  return {
    name: 'reelay:weigh-pages',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const page of pages) {
          const files = filesBeforeFirstPaint(bundle, page.modules)
          const bytes = [...files].reduce((sum, file) => sum + gzipped(bundle[file]), 0)
          if (bytes > page.maxBytes) this.error(tooHeavy(page, bytes))
          this.info(`${page.name}: ${inKb(bytes)} of ${inKb(page.maxBytes)} kB before the first paint`)
        }
      },
    },
  }
}

/** Scripts with the entry and these modules, their static imports and all their styles. */
function filesBeforeFirstPaint(
  bundle: Rolldown.OutputBundle,
  modules: readonly string[],
): ReadonlySet<string> {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
  const holding = (module: string): Rolldown.OutputChunk => {
    const found = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(`/${module}`)))
    if (!found)
      throw new Error(`${module} is in no script of the build: a page names a file that does not exist.`)
    return found
  }
  const files = new Set<string>()
  const add = (chunk: Rolldown.OutputChunk): void => {
    if (files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) add(other)
  }
  for (const chunk of [...chunks.filter(({ isEntry }) => isEntry), ...modules.map(holding)]) add(chunk)
  return files
}

const tooHeavy = ({ name, maxBytes }: Page, bytes: number): string =>
  `The ${name} page would load ${inKb(bytes)} kB of script and style (gzip) before its first paint; it may load ` +
  `${inKb(maxBytes)} kB. Load on demand what it does not show at once, or find what was pulled in by an import.`

const inKb = (bytes: number): string => (bytes / 1000).toFixed(1)

function gzipped(output: Rolldown.OutputBundle[string] | undefined): number {
  if (!output) return 0
  return gzipSync(output.type === 'chunk' ? output.code : output.source).length
}

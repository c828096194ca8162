import type { Rolldown } from 'vite'

/**
 * Scripts with the entry and these modules, their static imports and all their styles, in execution order.
 * @param modules paths from the web app's root
 * @throws where a module is in no script
 */
export function filesBeforeFirstPaint(
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
  const seen = new Set<Rolldown.OutputChunk>()
  const files = new Set<string>()
  const add = (chunk: Rolldown.OutputChunk): void => {
    if (seen.has(chunk)) return
    seen.add(chunk)
    for (const other of chunks) if (chunk.imports.includes(other.fileName)) add(other)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    files.add(chunk.fileName)
  }
  for (const chunk of [...chunks.filter(({ isEntry }) => isEntry), ...modules.map(holding)]) add(chunk)
  return files
}

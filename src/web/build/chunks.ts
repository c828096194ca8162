import { existsSync } from 'node:fs'
import path from 'node:path'

/** These modules, by their paths from the web app's root, with all that they import statically. */
type PageChunk = { readonly name: string; readonly modules: readonly string[] }

/** The modules of a package or a scope that so many entries and dynamic imports share. */
type SharedChunk = { readonly name: string; readonly packages: string; readonly minShareCount: number }

/**
 * Groups for Rolldown's `codeSplitting`. The first group that claims a module gets it.
 * @throws where a named module does not exist
 */
export function chunkGroups(root: string, chunks: readonly (PageChunk | SharedChunk)[]) {
  return chunks.map((chunk) => {
    if ('packages' in chunk) {
      const folder = `/node_modules/${chunk.packages}/`
      const test = (id: string) => id.replaceAll('\\', '/').includes(folder)
      return { name: chunk.name, test, minShareCount: chunk.minShareCount }
    }
    const files = new Set(chunk.modules.map((module) => existing(path.join(root, module))))
    return { name: chunk.name, test: (id: string) => files.has(path.normalize(id)) }
  })
}

function existing(file: string): string {
  if (!existsSync(file)) throw new Error(`${file} does not exist: name the module that starts its chunk.`)
  return file
}

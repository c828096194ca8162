import type { TestProject } from 'vitest/node'
import { bundlePrograms } from './bundle-programs.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly program: { readonly main: string; readonly compiled: string }
  }
}

/** Bundles what `npm start` runs, once for all tests that start it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const programs = await bundlePrograms()
  project.provide('program', { main: programs.main, compiled: programs.compiled })
  return () => programs.remove()
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODULE_MUTATIONS, type Mutation, plant, PROCESS_MUTATIONS } from './mutations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = ['src', 'test', 'migrations', 'package.json', 'tsconfig.base.json', 'vitest.config.ts']

export type MutatedCopy = {
  readonly dir: string
  /** Replaces the mutation before it. @throws when its code no longer exists */
  plant(mutation: Mutation): void
  /** Runs a program of the copy with this Node. */
  run(args: readonly string[]): Promise<{ readonly status: number | null; readonly output: string }>
  remove(): void
}

export function createMutatedCopy(): MutatedCopy {
  const dir = mkdtempSync(path.join(tmpdir(), 'reelay-mutation-'))
  for (const name of COPIED) cpSync(path.join(root, name), path.join(dir, name), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'))
  return {
    dir,
    plant(mutation) {
      for (const { file } of [...PROCESS_MUTATIONS, ...MODULE_MUTATIONS].flatMap(({ edits }) => edits))
        cpSync(path.join(root, file), path.join(dir, file))
      plant(dir, mutation)
    },
    async run(args) {
      const child = spawn(process.execPath, args, {
        cwd: dir,
        env: { ...process.env, NODE_COMPILE_CACHE: path.join(dir, '.cache/compiled') },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
      const [status] = (await once(child, 'close')) as [number | null]
      return { status, output }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

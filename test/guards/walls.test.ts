import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Fault = { readonly what: string; readonly in: string; readonly code: string; readonly says: RegExp }

const COMPILER: Fault[] = [
  {
    what: 'the contract that reads a file',
    in: 'src/contract',
    code: "import 'node:fs'",
    says: /TS2307|TS2591|TS2882/,
  },
  {
    what: 'the contract that knows a decision',
    in: 'src/contract',
    code: "export * from '#domain/delivery/failure.ts'",
    says: /TS6307/,
  },
  {
    what: 'a decision that knows the server',
    in: 'src/domain',
    code: "export * from '#server/problem.ts'",
    says: /TS6307/,
  },
  {
    what: 'a decision that waits for a timer',
    in: 'src/domain',
    code: 'setTimeout(() => {}, 1)',
    says: /TS2304|TS2584/,
  },
  {
    what: 'a platform that knows the server',
    in: 'src/platforms',
    code: "export * from '#server/problem.ts'",
    says: /TS6307/,
  },
  {
    what: 'a screen that knows the server',
    in: 'src/web',
    code: "export * from '#server/problem.ts'",
    says: /TS6307/,
  },
  {
    what: 'a command that knows the server',
    in: 'src/cli',
    code: "export * from '#server/problem.ts'",
    says: /TS6307/,
  },
  {
    what: 'a practice platform that shares our contract',
    in: 'src/simulators',
    code: "export * from '#contract/ids.ts'",
    says: /TS6307/,
  },
  {
    what: 'the server that touches a page',
    in: 'src/server',
    code: "document.title = ''",
    says: /TS2584|TS2304/,
  },
  {
    what: 'what cannot run without a build',
    in: 'src/server',
    code: 'export enum Colour {\n  Red,\n}',
    says: /TS1294/,
  },
]

const LINTER: Fault[] = [
  {
    what: "a feature that uses another feature's routes",
    in: 'src/server/brands',
    code: "export * from '../posts/routes.ts'",
    says: /never its routes/,
  },
  {
    what: 'a platform that knows another',
    in: 'src/platforms/tiktok',
    code: "export * from '../instagram/index.ts'",
    says: /do not know each other/,
  },
  {
    what: 'a practice platform that shares our code',
    in: 'src/simulators',
    code: "export * from '#domain/delivery/failure.ts'",
    says: /share nothing/,
  },
  {
    what: 'a decision that reads the clock',
    in: 'src/domain',
    code: 'export const late = Date.now()',
    says: /told the time/,
  },
  {
    what: 'a decision that throws dice',
    in: 'src/domain',
    code: 'export const dice = Math.random()',
    says: /no lots/,
  },
  {
    what: 'a promise that nobody waits for',
    in: 'src/server',
    code: 'export function planted() {\n  Promise.resolve(1)\n}',
    says: /no-floating-promises/,
  },
  {
    what: 'a switch that forgets a case',
    in: 'src/server',
    code: "export function planted(x: 'a' | 'b') {\n  switch (x) {\n    case 'a':\n      return 1\n  }\n  return 0\n}",
    says: /switch-exhaustiveness/,
  },
]

/** The smallest code in which each fault has something to import, and no tool finds a fault. */
const SOUND: Readonly<Record<string, string>> = {
  'src/cli/main.ts': "export { id } from '#contract/ids.ts'",
  'src/contract/ids.ts': 'export const id = 1',
  'src/domain/delivery/failure.ts': "export { id } from '#contract/ids.ts'",
  'src/platforms/tiktok/index.ts': "export { id } from '#domain/delivery/failure.ts'",
  'src/platforms/instagram/index.ts': "export { id } from '#domain/delivery/failure.ts'",
  'src/server/main.ts': `import { id as instagram } from '#platforms/instagram/index.ts'
import { id as tiktok } from '#platforms/tiktok/index.ts'
import { problem } from './problem.ts'

export const all = [instagram, tiktok, problem]`,
  'src/server/problem.ts': 'export const problem = 1',
  'src/simulators/main.ts': 'export const main = 1',
  'src/web/env.d.ts': '/// <reference types="vite/client" />',
}

let project: string

beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'reelay-walls-'))
  const settings = globSync(
    ['.oxlintrc*', 'tsconfig*.json', '{test,scripts}/tsconfig.json', 'src/*/tsconfig.json'],
    { cwd: root },
  )
  for (const file of settings) {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true })
    cpSync(path.join(root, file), path.join(project, file))
  }
  const { imports, type } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    imports: object
    type: string
  } // our own
  write('package.json', JSON.stringify({ name: 'fixture', type, imports }, null, 2))
  for (const [file, code] of Object.entries(SOUND)) write(file, code)
  symlinkSync(path.join(root, 'node_modules'), path.join(project, 'node_modules'))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

function write(file: string, code: string): void {
  mkdirSync(path.dirname(path.join(project, file)), { recursive: true })
  writeFileSync(path.join(project, file), `${code}\n`)
}

/** The tool accepts the sound project, and names the file and reason of each fault when all are present. */
function describeRefusals(who: string, tool: string, args: string[], faults: Fault[]): void {
  const run = () =>
    spawnSync(process.execPath, [path.join(root, 'node_modules', tool), ...args], {
      cwd: project,
      timeout: 300_000,
      encoding: 'utf8',
    })

  it(`${who} accepts the sound project`, () => {
    const { status, stdout, stderr } = run()
    expect([status, stdout, stderr]).toEqual([0, expect.anything(), expect.anything()])
  })

  describe(`${who} refuses`, () => {
    const files = faults.map((fault, index) => `${fault.in}/planted-${index}.ts`)
    let status: number | null
    /** The tool's messages. */
    let said: string[]
    beforeAll(() => {
      faults.forEach((fault, index) => write(files[index] ?? '', fault.code))
      const refused = run()
      status = refused.status
      said = `${refused.stdout}\n${refused.stderr}`.split(/\n(?=  x |src\/)/)
      files.forEach((file) => rmSync(path.join(project, file)))
    })

    faults.forEach((fault, index) => {
      it(fault.what, () => {
        const ofThis = said.filter((piece) => piece.includes(files[index] ?? 'nothing')).join('\n')
        expect(ofThis).toMatch(fault.says)
        expect(status).not.toBe(0)
      })
    })
  })
}

describeRefusals('the compiler', 'typescript/bin/tsc', ['-b'], COMPILER)
describeRefusals('the linter', 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', 'src'], LINTER)

describe('the names of platforms', () => {
  /** Files that may name a platform: its folders, the registries, and the two specified forms. */
  const ALLOWED = [
    /^contract\/(platforms\/|posts\.ts|texts\.ts)/,
    /^platforms\/(tiktok|instagram|youtube|registry)/,
    /^server\/(runtime\/(config|variables)|posts\/routes)\.ts/,
    /^web\/testing\//, // data for component tests
    /^simulators\//,
    /^web\/platforms\//,
    /\.test\.tsx?$/,
  ]
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  )

  it('stand nowhere else', () => {
    const naming = files
      .filter((file) => !ALLOWED.some((place) => place.test(file)))
      .filter((file) =>
        /tiktok|instagram|youtube/i.test(withoutComments(readFileSync(path.join(root, 'src', file), 'utf8'))),
      )
    expect(naming).toEqual([])
  })
})

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')

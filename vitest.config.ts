import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPILED } from './test/support/compiled.ts'

/** Tests of functions, and of what talks to servers that the tests make themselves: they need no database. */
const SMALL = ['src/{domain,contract,web,platforms}/**/*.test.ts', '{scripts,test/bench}/**/*.test.ts']

/** Tests of one part of the server, over the real database. */
const SERVER = ['src/{base,identity,server,simulators}/**/*.test.ts']
/** One replaces a module, which must not be imported before; the other takes so long that the import does not matter. */
const ISOLATED = ['src/identity/safety.test.ts', 'src/server/db/embedded.test.ts']

/**
 * Those that take longest, begun first so that none of them is left alone at the end, and those that mostly wait, while browser
 * tests use the cores. The others by their size.
 */
const FIRST = [
  'test/crash/sample.test.ts',
  'test/crash/mutations.test.ts',
  'test/crash/storm.test.ts',
  'test/system/conformance.test.ts',
  'test/journeys/user-actions.test.ts',
  'test/journeys/machines/several-machines.test.ts',
  'src/server/db/embedded.test.ts',
  'test/system/start.test.ts',
  'src/server/deliveries/worker/rate-limits.test.ts',
  'src/server/deliveries/worker/worker.test.ts',
  'src/server/deliveries/worker/siblings.test.ts',
  'src/server/deliveries/worker/outages.test.ts',
  'src/server/follow-ups/first-comment.test.ts',
  'src/server/follow-ups/comments-off.test.ts',
  'src/server/pauses/pauses.test.ts',
  'test/journeys/token-life.test.ts',
  'test/crash/sleeper.test.ts',
]

/** They compute and hardly wait: at the end, when no browser test is left, they keep the cores busy. */
const LAST = ['component', 'small']

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own, not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
const placeOf = ({ moduleId, project }: TestSpecification): number => {
  const at = FIRST.findIndex((file) => moduleId.endsWith(`/${file}`))
  return at === -1 ? FIRST.length + LAST.indexOf(project.name) : at
}

export default defineConfig({
  test: {
    environment: 'node',
    // The server reads each uploaded video in a process of its own.
    env: COMPILED,
    // One more than the smallest machine has cores: the longest files wait more than they work, for leases and other processes.
    maxWorkers: 3,
    sequence: { sequencer: InOrder },
    // Nothing is told by how fast a machine is; a test that hangs ends all the same.
    testTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'small',
          include: SMALL,
          // What they import is evaluated once for each worker; for each file it took longer than the tests.
          isolate: false,
          unstubGlobals: true,
          restoreMocks: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'component',
          include: ['src/web/**/*.test.tsx'],
          environment: 'jsdom',
          isolate: false,
          setupFiles: ['src/web/testing/setup.ts'],
          restoreMocks: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: SERVER,
          exclude: ISOLATED,
          globalSetup: ['test/support/database/global-setup.ts'],
          isolate: false,
          unstubGlobals: true,
          unstubEnvs: true,
          restoreMocks: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'large',
          include: ['test/**/*.test.ts', ...ISOLATED],
          exclude: ['test/e2e/**', 'test/bench/**'],
          globalSetup: ['test/support/database/global-setup.ts'],
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPILED } from './test/support/program.ts'

/** Tests of functions, and of what talks to servers that the tests make themselves: they need no database. */
const SMALL = ['src/{domain,contract,web,platforms}/**/*.test.ts', '{scripts,test/bench}/**/*.test.ts']

/** Tests of the server, or of one part of it, over the real database. */
const SERVER = [
  'src/{base,cli,identity,server,simulators}/**/*.test.ts',
  'test/{identity,journeys,system}/**/*.test.ts',
]
/** One replaces a module, which must not be imported before; the others start Reelay as processes, and import little of it. */
const ISOLATED = [
  'src/identity/safety.test.ts',
  'src/server/db/embedded.test.ts',
  'test/identity/mails.test.ts',
  'test/journeys/downtime.test.ts',
  'test/journeys/machines/restored-data.test.ts',
  'test/journeys/machines/several-machines.test.ts',
  'test/system/no-secret-in-logs.test.ts',
  'test/system/start.test.ts',
]

/**
 * A worker goes on to the next file only if that is of the same project. `npm test` runs the first two, which mostly wait, beside
 * the others, which compute.
 */
const PROJECTS = ['large', 'server', 'component', 'small']

/** Those that take longest, begun first in their project so that none of them is left alone at the end. The others by their size. */
const FIRST = [
  'test/crash/sample.test.ts',
  'test/crash/mutations.test.ts',
  'test/crash/storm.test.ts',
  'test/journeys/machines/several-machines.test.ts',
  'test/journeys/machines/restored-data.test.ts',
  'src/server/db/embedded.test.ts',
  'test/system/start.test.ts',
  'test/crash/sleeper.test.ts',
  'test/system/conformance.test.ts',
  'test/journeys/user-actions.test.ts',
  'src/server/deliveries/worker/rate-limits.test.ts',
  'src/server/deliveries/worker/worker.test.ts',
  'src/server/deliveries/worker/outages.test.ts',
  'src/server/follow-ups/first-comment.test.ts',
  'src/server/pauses/pauses.test.ts',
  'src/cli/cli.test.ts',
]

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own, not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => projectOf(a) - projectOf(b) || placeOf(a) - placeOf(b))
  }
}
const projectOf = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name)
const placeOf = ({ moduleId }: TestSpecification): number => {
  const at = FIRST.findIndex((file) => moduleId.endsWith(`/${file}`))
  return at === -1 ? FIRST.length : at
}

export default defineConfig({
  test: {
    environment: 'node',
    // The server reads each uploaded video in a process of its own.
    env: COMPILED,
    // Twice the cores of the smallest machine: the longest files wait more than they work, for leases and other processes.
    maxWorkers: 4,
    sequence: { sequencer: InOrder },
    // Nothing is told by how fast a machine is; a test that hangs ends all the same.
    testTimeout: 1_200_000,
    expect: { poll: { timeout: 300_000 } },
    hookTimeout: 1_200_000,
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
          include: ['test/!(bench|e2e|identity|journeys|system)/**/*.test.ts', ...ISOLATED],
          globalSetup: ['test/support/database/global-setup.ts'],
        },
      },
    ],
  },
})

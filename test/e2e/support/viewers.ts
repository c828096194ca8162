import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { signUp, until } from '../../support/test-server.ts'
import { fromEnvironment, test as base } from './fixtures.ts'
import type { Viewer } from './screens.ts'
import { createSeedData } from './seed-data.ts'

type WorkerFixtures = {
  /** Signs a viewer up when first asked; null: nobody is logged in. */
  emailOf: (viewer: Viewer) => Promise<string | null>
}

export const test = base.extend<object, WorkerFixtures>({
  emailOf: [
    async ({ reelay }, provide) => {
      const emails: Readonly<Record<Viewer, () => Promise<string | null>>> = {
        visitor: () => Promise.resolve(null),
        newUser: () => oncePerRun('new-user', async () => (await signUp(reelay)).email),
        seededUser: () =>
          oncePerRun('seeded-user', async () => {
            const person = await signUp(reelay)
            await createSeedData(reelay, person)
            return person.email
          }),
      }
      await provide((viewer) => emails[viewer]())
    },
    { scope: 'worker' },
  ],
})

/** Makes a value in the first worker that asks; the others wait for its file. */
async function oncePerRun(name: string, make: () => Promise<string>): Promise<string> {
  const file = path.join(fromEnvironment('REELAY_SHARED_DIR'), name)
  const isFirst = await mkdir(`${file}.lock`).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
  if (!isFirst)
    return until(`${name} of the other worker`, () => readFile(file, 'utf8').catch(() => null), 600_000)
  const made = await make()
  await writeFile(`${file}.new`, made)
  await rename(`${file}.new`, file)
  return made
}

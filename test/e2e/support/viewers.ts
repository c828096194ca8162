import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { signUp, until } from '../../support/test-server.ts'
import { fromEnvironment, type Reelay } from './fixtures.ts'
import type { Viewer } from './screens.ts'
import { createSeedData } from './seed-data.ts'

/** Signs a viewer up at the first call. @returns their address; null: nobody is logged in */
export async function findEmail(viewer: Viewer, reelay: Reelay): Promise<string | null> {
  if (viewer === 'visitor') return null
  if (viewer === 'newUser') return oncePerRun('new-user', async () => (await signUp(reelay)).email)
  return oncePerRun('seeded-user', async () => {
    const person = await signUp(reelay)
    await createSeedData(reelay, person)
    return person.email
  })
}

/** The first worker that asks makes the value; the others wait for its file. */
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

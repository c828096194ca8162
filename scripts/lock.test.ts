import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
  ),
})

// npm leaves them out of the lock where a registry does not have them at that moment, and `npm ci` then refuses the lock.
test('package-lock.json names the optional packages of every platform', () => {
  const { packages } = Lock.parse(
    JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')),
  )
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${place}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
    ),
  )
  expect(missing).toEqual([])
})

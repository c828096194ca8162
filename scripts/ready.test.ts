import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Package = z.object({ scripts: z.record(z.string(), z.string()) })

// Node 20 ends with a stack trace on the first TypeScript file. `exec`: a shell between npm and us would keep SIGINT and SIGTERM for itself.
test('every npm script that runs a program of ours gets Node 24 first', () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { scripts } = Package.parse(JSON.parse(text))
  const ours = Object.entries(scripts).filter(([, command]) => command.includes('node '))
  expect(ours.length).toBeGreaterThan(5)
  expect(ours.filter(([name, command]) => command !== `exec node scripts/ready.mjs ${name}`)).toEqual([])
})

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { step } from '#domain/delivery/step.ts'
import { everyEvent, NOW, STARTS } from '#domain/delivery/testing/every-event.ts'

const architecture = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')

it('ARCHITECTURE.md draws every transition of a delivery, and no other', () => {
  const drawn = [...architecture.matchAll(/^ {2}(\w+) --> (\w+): /gm)].map(
    ([, from, to]) => `${from} to ${to}`,
  )
  const made = everyEvent().flatMap(({ place, event }) => {
    const { state } = STARTS[place]
    const result = step(state, event, NOW)
    return 'to' in result && result.to.kind !== state.kind ? [`${state.kind} to ${result.to.kind}`] : []
  })
  expect(new Set(drawn)).toEqual(new Set(made))
})

it('ARCHITECTURE.md names every table of the database', () => {
  const tables = readFileSync(new URL('../../src/base/db/tables.ts', import.meta.url), 'utf8')
  const names = [...(tables.split('export interface DB {')[1] ?? '').matchAll(/^ {2}(\w+):/gm)].map(
    ([, name]) => name,
  )
  const [, section = ''] = /^## Database$(.*?)^## /ms.exec(architecture) ?? []
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(section))).toEqual([])
  expect(names.length).toBeGreaterThan(0)
})

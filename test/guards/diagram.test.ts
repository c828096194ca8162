import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { step } from '#domain/delivery/step.ts'
import { everyEvent, NOW, STARTS } from '#domain/delivery/testing/every-event.ts'

it('ARCHITECTURE.md draws every transition of a delivery, and no other', () => {
  const text = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
  const drawn = [...text.matchAll(/^ {2}(\w+) --> (\w+): /gm)].map(([, from, to]) => `${from} to ${to}`)
  const made = everyEvent().flatMap(({ place, event }) => {
    const { state } = STARTS[place]
    const result = step(state, event, NOW)
    return 'to' in result && result.to.kind !== state.kind ? [`${state.kind} to ${result.to.kind}`] : []
  })
  expect(new Set(drawn)).toEqual(new Set(made))
})

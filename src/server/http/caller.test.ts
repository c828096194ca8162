import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { Problem } from '#base/problem.ts'
import { createKeyRate } from './caller.ts'

test('a key may make so many calls a minute, and each key its own', () => {
  let now = 1_000_000
  const headers: Record<string, unknown> = {}
  const reply = {
    header: (name: string, value: unknown) => (headers[name] = value),
  } as unknown as FastifyReply
  const rate = createKeyRate(() => now, 2)
  const call = (keyId: number) => rate.count({ keyId }, reply)
  call(1)
  now += 20_000
  call(1)
  expect(headers).toEqual({ 'ratelimit-policy': '"key";q=2;w=60', ratelimit: '"key";r=0;t=40' })
  expect(() => call(1)).toThrow(Problem)
  expect(headers['ratelimit']).toBe('"key";r=0;t=40')
  call(2)
  now += 40_000
  call(1)
  expect(headers['ratelimit']).toBe('"key";r=1;t=60')
})

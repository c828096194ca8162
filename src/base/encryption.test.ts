import { expect, it } from 'vitest'
import { createSealer } from './encryption.ts'

it('opens what it sealed, and never seals the same text the same way twice', () => {
  const sealer = createSealer(['one'])
  const [a, b] = [sealer.seal('ünïcode'), sealer.seal('ünïcode')]
  expect(sealer.open(a)).toBe('ünïcode')
  expect(a.equals(b)).toBe(false)
})

it('refuses what was tampered with, byte by byte', () => {
  const sealer = createSealer(['one'])
  const sealed = sealer.seal('secret')
  for (let i = 0; i < sealed.length; i++) {
    const bad = Buffer.from(sealed)
    bad[i] = (bad[i] ?? 0) ^ 1
    expect(() => sealer.open(bad), `byte ${i}`).toThrow()
  }
})

it('opens what an older key sealed while that key is still named', () => {
  const sealed = createSealer(['old']).seal('secret')
  expect(createSealer(['new', 'old']).open(sealed)).toBe('secret')
  expect(() => createSealer(['new']).open(sealed)).toThrow('SECRET_KEY')
})

const mac = (secrets: [string, ...string[]], text: string) => createSealer(secrets).mac(text).toString('hex')

it('a keyed hash is the same for the same secret and text, and another for another', () => {
  expect(mac(['one'], 'text')).toBe(mac(['one', 'old'], 'text'))
  expect(mac(['one'], 'text')).not.toBe(mac(['two', 'one'], 'text'))
  expect(mac(['one'], 'text')).not.toBe(mac(['one'], 'other'))
})

import { expect, it } from 'vitest'
import { createEncrypter } from './encryption.ts'

it('decrypts what it encrypted, and never encrypts a text the same way twice', () => {
  const encrypter = createEncrypter(['one'])
  const [a, b] = [encrypter.encrypt('ünïcode'), encrypter.encrypt('ünïcode')]
  expect(encrypter.decrypt(a)).toBe('ünïcode')
  expect(a.equals(b)).toBe(false)
})

it('rejects bytes that were tampered with', () => {
  const encrypter = createEncrypter(['one'])
  const encrypted = encrypter.encrypt('secret')
  for (let i = 0; i < encrypted.length; i++) {
    const bad = Buffer.from(encrypted)
    bad[i] = (bad[i] ?? 0) ^ 1
    expect(() => encrypter.decrypt(bad), `byte ${i}`).toThrow()
  }
})

it('decrypts what an older key encrypted while that key is still listed', () => {
  const encrypted = createEncrypter(['old']).encrypt('secret')
  expect(createEncrypter(['new', 'old']).decrypt(encrypted)).toBe('secret')
  expect(() => createEncrypter(['new']).decrypt(encrypted)).toThrow('SECRET_KEY')
})

const mac = (secrets: [string, ...string[]], text: string) =>
  createEncrypter(secrets).mac(text).toString('hex')

it('a MAC depends on the secret and the text alone', () => {
  expect(mac(['one'], 'text')).toBe(mac(['one', 'old'], 'text'))
  expect(mac(['one'], 'text')).not.toBe(mac(['two', 'one'], 'text'))
  expect(mac(['one'], 'text')).not.toBe(mac(['one'], 'other'))
})

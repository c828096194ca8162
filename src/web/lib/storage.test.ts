import { afterEach, expect, test } from 'vitest'
import { readItem, removeItem, storageLife, storedKeys, writeItem } from './storage.ts'

function storageOf(capacity: number): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const kept: Record<string, string> = {}
  const methods = {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => {
      if (capacity-- <= 0) throw new DOMException('full', 'QuotaExceededError')
      kept[key] = value
    },
    removeItem: (key: string) => void delete kept[key],
  }
  return Object.setPrototypeOf(kept, methods) as typeof methods // reads like the browser's: its keys are its own properties
}

const refused = () => {
  throw new DOMException('denied', 'SecurityError')
}

/** A browser's window with these storages. */
const stub = (name: 'localStorage' | 'sessionStorage', get: () => unknown) =>
  Object.defineProperty(globalThis, name, { configurable: true, get })

afterEach(() => {
  for (const key of storedKeys()) removeItem(key)
  Reflect.deleteProperty(globalThis, 'localStorage')
  Reflect.deleteProperty(globalThis, 'sessionStorage')
})

const roundTrip = () => {
  expect(writeItem('a', '1')).toBe(true)
  expect([readItem('a'), readItem('b'), storedKeys()]).toEqual(['1', null, ['a']])
  removeItem('a')
  expect([readItem('a'), storedKeys()]).toEqual([null, []])
}

test.each([
  ['null, as in a web view', () => null],
  ['refused, as where all site data is blocked', refused],
])('a local storage that is %s is replaced by the tab’s, and that by the page’s memory', (_why, get) => {
  const session = storageOf(9)
  stub('localStorage', get)
  stub('sessionStorage', () => session)
  expect(storageLife()).toBe('tab')
  roundTrip()
  stub('sessionStorage', get)
  expect(storageLife()).toBe('page')
  roundTrip()
})

test('the local storage is used where there is one, and says that it is full', () => {
  const local = storageOf(1)
  stub('localStorage', () => local)
  stub('sessionStorage', refused)
  expect(storageLife()).toBe('browser')
  roundTrip()
  expect(writeItem('b', '2')).toBe(false)
})

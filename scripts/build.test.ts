import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeOldBuilds } from './build.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reelay-builds-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** @param made epoch seconds */
function makeBuild(name: string, made: number): void {
  mkdirSync(path.join(folder, name))
  writeFileSync(path.join(folder, name, 'main.mjs'), '')
  utimesSync(path.join(folder, name), made, made)
}

test('the three newest builds of the server are kept, which servers may still run', () => {
  for (const [name, made] of [
    ['b', 100],
    ['a', 300],
    ['d', 200],
    ['c', 400],
  ] as const)
    makeBuild(name, made)
  removeOldBuilds(folder)
  expect(readdirSync(folder).toSorted()).toEqual(['a', 'c', 'd'])
})

test('what a killed start left of its build takes the place of no other', () => {
  for (const name of ['a', 'b', 'c']) makeBuild(name, 100)
  makeBuild('d.part', 500)
  removeOldBuilds(folder)
  expect(readdirSync(folder).toSorted()).toEqual(['a', 'b', 'c'])
})

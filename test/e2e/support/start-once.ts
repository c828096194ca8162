import { test } from '@playwright/test'

/**
 * What the tests of one file share: started when the first of them asks, stopped after the last. Not a fixture of the
 * worker: that takes a worker, and so a browser, of its own.
 * @returns the function of the fixture
 */
export function startOnce<T extends { stop(): Promise<void> }>(start: () => Promise<T>) {
  let starting: Promise<T> | null = null
  test.afterAll(async () => (await starting)?.stop())
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads from this pattern that it needs no other fixture
  return async ({}, provide: (started: T) => Promise<void>) => provide(await (starting ??= start()))
}

import { utimes, writeFile } from 'node:fs/promises'
import type { Page, Request } from '@playwright/test'
import { UploadId } from '#contract/ids.ts'
import { sampleVideo } from '../../support/sample.ts'
import { until, type Person } from '../../support/test-server.ts'
import { expect, logIn, test as base } from '../support/fixtures.ts'
import { startLine, type UnreliableLine } from '../support/unreliable-line.ts'

const test = base.extend<{ line: UnreliableLine }>({
  line: async ({ reelay }, provide) => {
    const line = await startLine(reelay.url)
    await provide(line)
    await line.stop()
  },
  baseURL: async ({ line }, provide) => provide(line.url),
})

/** More than the buffers between a browser and the server hold. */
const BYTES = 32_000_000
const STALLED_AT = 4_000_000
const COMPOSE = '/dashboard/compose'

async function choose(page: Page, path: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Choose a video', exact: true })
  await expect(button).toBeEnabled()
  await page.getByLabel('Video file').setInputFiles(path)
}

const isPart = (request: Request) => request.method() === 'PATCH'
const readOffset = (part: Request) => Number(part.headers()['upload-offset'])

/** Chooses the started file again. @returns the offset from which it is sent */
async function chooseAgain(page: Page, path: string): Promise<number> {
  const part = page.waitForRequest(isPart)
  await choose(page, path)
  return readOffset(await part)
}

/** The bytes that arrived of this browser's upload, once they are this many. */
const arrived = (page: Page, person: Person, bytes: number) =>
  until(`${bytes} bytes on the server`, async () => {
    const stored = await page.evaluate(() =>
      Object.entries(localStorage).flatMap(([key, value]) =>
        key.startsWith('uploads ') ? [String(value)] : [],
      ),
    )
    const id = UploadId.safeParse(/"uploadId":"(\w+)"/.exec(stored.join(' '))?.[1])
    if (!id.success) return null
    const { offset } = await person.call('getUpload', { params: { uploadId: id.data } })
    return offset >= bytes ? offset : null
  })

const isWaiting = (page: Page) => expect(page.getByText(/Waiting(\.| for the network)/)).toBeVisible()
const uploaded = (page: Page) =>
  expect(page.getByText('Uploaded', { exact: true })).toBeVisible({ timeout: 90_000 })

test('an upload goes on where it was after a cut and a reload, and in a second tab', async ({
  page,
  context,
  person,
  line,
}, info) => {
  test.slow()
  const sample = sampleVideo(BYTES)
  const path = info.outputPath(sample.file.name)
  await writeFile(path, await sample.file.bytes())
  const offsets = new Map<Page, number[]>()
  context.on('request', (request) => {
    const tab = request.frame().page()
    if (isPart(request)) offsets.set(tab, [...(offsets.get(tab) ?? []), readOffset(request)])
  })
  await logIn(page, person.email, COMPOSE)

  const before = await test.step('it waits out a stalled and a cut line', async () => {
    line.stallAfter(STALLED_AT)
    await choose(page, path)
    // If the buffers hold the rest, the page reports this much as still being sent.
    await isWaiting(page)
    await expect(page.getByText(/ of 32 MB$/)).toBeVisible()

    // Chromium itself repeats a request whose connection ends, from its first byte: that must fail too.
    const failed = page.waitForEvent('requestfailed', { predicate: isPart, timeout: 0 })
    line.cut()
    await failed
    await isWaiting(page)
    line.mend()
    // More than one connection lets through.
    return arrived(page, person, 1.5 * STALLED_AT)
  })

  const resumed =
    await test.step('the same file continues after a reload, whatever its modification time', async () => {
      page.on('dialog', (dialog) => void dialog.accept())
      await page.reload()
      await utimes(path, 1, 1)
      expect(await chooseAgain(page, path)).toBeGreaterThanOrEqual(before)
      return arrived(page, person, before + STALLED_AT / 2)
    })

  await test.step('a second tab takes over, and both tabs get the one video', async () => {
    const other = await context.newPage()
    await other.goto(COMPOSE)
    expect(await chooseAgain(other, path)).toBeGreaterThanOrEqual(resumed)
    await expect(page.getByText('Continues in another tab or on another device')).toBeVisible()
    line.stallAfter(null)
    await uploaded(other)
    await uploaded(page)
  })

  const { videos } = await person.call('listVideos', {})
  const stored = { sha256: sample.sha256, size: sample.bytes }
  expect(videos.map(({ sha256, size }) => ({ sha256, size }))).toEqual([stored])
  // Neither tab sent the arrived bytes again.
  expect(offsets.size).toBe(2)
  for (const sent of offsets.values()) expect(sent).toEqual(sent.toSorted((one, other) => one - other))
})

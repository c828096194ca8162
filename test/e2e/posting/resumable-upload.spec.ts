import { utimes, writeFile } from 'node:fs/promises'
import type { Page, TestInfo } from '@playwright/test'
import { UploadId } from '#contract/ids.ts'
import { sampleVideo, type Sample } from '../../support/sample.ts'
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

/** More than the buffers between a browser and the server take. */
const BYTES = 32_000_000
const STALLED_AT = 4_000_000
const COMPOSE = '/dashboard/compose'

/** A video on disk, as a user has one. */
async function onDisk(info: TestInfo): Promise<Sample & { path: string }> {
  const sample = sampleVideo(BYTES)
  const path = info.outputPath(sample.file.name)
  await writeFile(path, await sample.file.bytes())
  return { ...sample, path }
}

async function choose(page: Page, path: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Choose a video', exact: true })
  await expect(button).toBeEnabled()
  await page.getByLabel('Video file').setInputFiles(path)
}

/** The upload of this browser, once so much of it has arrived. */
const arrived = (page: Page, person: Person, bytes: number) =>
  until(`${bytes} bytes on the server`, async () => {
    const stored = await page.evaluate(() =>
      Object.entries(localStorage).flatMap(([key, value]) =>
        key.startsWith('uploads ') ? [String(value)] : [],
      ),
    )
    const id = UploadId.safeParse(/"uploadId":"(\w+)"/.exec(stored.join(' '))?.[1])
    if (!id.success) return null
    const upload = await person.call('getUpload', { params: { uploadId: id.data } })
    return upload.offset >= bytes ? upload : null
  })

async function isStoredOnce(person: Person, sample: Sample): Promise<void> {
  const { videos } = await person.call('listVideos', {})
  expect(videos.map(({ sha256, size }) => ({ sha256, size }))).toEqual([
    { sha256: sample.sha256, size: sample.bytes },
  ])
}

const uploaded = (page: Page) =>
  expect(page.getByText('Uploaded', { exact: true })).toBeVisible({ timeout: 90_000 })

test('an upload waits out a stalled and a cut line, and goes on where it was', async ({
  page,
  person,
  line,
}, info) => {
  test.slow()
  const sample = await onDisk(info)
  await logIn(page, person.email, COMPOSE)
  line.stallAfter(STALLED_AT)
  await choose(page, sample.path)
  // If the buffers on the way take the rest, it says that this much is still on its way.
  await expect(page.getByText(/Waiting(\.| for the network)/)).toBeVisible()
  await expect(page.getByText(/ of 32 MB$/)).toBeVisible()

  // Chromium itself sends a request again whose kept connection ends, from its first byte: that has to fail, too.
  const failed = page.waitForEvent('requestfailed', {
    predicate: (request) => request.method() === 'PATCH',
    timeout: 0,
  })
  line.cut()
  await failed
  await expect(page.getByText(/Waiting(\.| for the network)/)).toBeVisible()
  line.stallAfter(null)
  line.mend()
  await uploaded(page)
  await isStoredOnce(person, sample)
  // What had arrived was not sent again.
  expect(line.passed()).toBeLessThan(BYTES + STALLED_AT)
})

test('after a reload the same file continues, whatever its modification time', async ({
  page,
  person,
  line,
}, info) => {
  test.slow()
  const sample = await onDisk(info)
  await logIn(page, person.email, COMPOSE)
  line.stallAfter(STALLED_AT)
  await choose(page, sample.path)
  await arrived(page, person, STALLED_AT / 2)
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  line.stallAfter(null)
  await utimes(sample.path, 1, 1)
  await page.goto(COMPOSE)
  const resumed = page.waitForRequest((request) => request.method() === 'PATCH')
  await choose(page, sample.path)
  expect(Number((await resumed).headers()['upload-offset'])).toBeGreaterThanOrEqual(STALLED_AT / 2)
  await uploaded(page)
  await isStoredOnce(person, sample)
})

test('the same file in two tabs is stored once, and both tabs get its video', async ({
  page,
  context,
  person,
  line,
}, info) => {
  test.slow()
  const sample = await onDisk(info)
  await logIn(page, person.email, COMPOSE)
  line.stallAfter(STALLED_AT)
  await choose(page, sample.path)
  await arrived(page, person, STALLED_AT / 2)
  const other = await context.newPage()
  await other.goto(COMPOSE)
  await choose(other, sample.path)
  await expect(page.getByText('Continues in another tab or on another device')).toBeVisible()
  line.stallAfter(null)
  await uploaded(other)
  await uploaded(page)
  await isStoredOnce(person, sample)
})

import { readFileSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import type { Video } from '#contract/videos.ts'
import { uploadVideo } from '../../support/publish.ts'
import { fixture } from '../../support/sample.ts'
import { chosen, expect, linkedBrand, logIn, test, type Page, type Person } from '../support/fixtures.ts'

const sample = (name: string, type: string) => new File([readFileSync(fixture(name))], name, { type })
const storedVideos = async (person: Person): Promise<readonly Video[]> =>
  (await person.call('listVideos', {})).videos
/** Encoding in software takes its time on a busy machine. */
const SLOW = { timeout: 120_000 }
const waitUntilUploaded = (page: Page) =>
  expect(page.getByText('Uploaded', { exact: true })).toBeVisible(SLOW)

test('a WebM file is fixed in the browser before it is uploaded', async ({ page, reelay, person }) => {
  test.slow()
  await linkedBrand(reelay, person, { title: 'Northwind', platform: 'instagram' })
  await logIn(page, person.email, '/dashboard/compose')
  await page.evaluate(leaveFixedFile)
  const picker = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a video', exact: true }).click()
  await (await picker).setFiles(await chosen(sample('vp9.webm', 'video/webm')))
  await expect(page.getByRole('heading', { name: 'Instagram would refuse this file' })).toBeVisible()
  expect(await storedVideos(person)).toEqual([])
  await page.getByRole('button', { name: 'Fix and upload' }).click()

  await waitUntilUploaded(page)
  const [video, ...others] = await storedVideos(person)
  expect(others).toEqual([])
  expect(video?.filename).toBe('vp9.mp4')
  expect(video?.facts).toMatchObject({
    container: 'mp4',
    video_codec: 'avc',
    audio_codec: 'aac',
    audio_rate_hz: 48_000,
    width: 360,
    height: 640,
    index_first: true,
  })
  expect(video?.facts.duration_s).toBeCloseTo(4, 0)
  expect(video?.findings.filter(({ level }) => level === 'error')).toEqual([])
  // The tab's own file, and not that of a tab that is gone.
  const kept = await page.evaluate<string[]>(fixedFiles)
  expect([kept.length, kept.includes('abandoned')]).toEqual([1, false])
})

test('a file that is too large is made smaller before it is uploaded', async ({
  page,
  reelay,
  person,
}, testInfo) => {
  test.slow()
  await linkedBrand(reelay, person, { title: 'Northwind', platform: 'instagram' })
  await logIn(page, person.email, '/dashboard/compose')
  const picker = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a video', exact: true }).click()
  await (await picker).setFiles(await largeVideo(testInfo.outputPath('large.mp4'), 310_000_000))
  await expect(page.getByRole('heading', { name: 'Instagram would refuse this file' })).toBeVisible()
  await page.getByRole('button', { name: 'Fix and upload' }).click()

  await waitUntilUploaded(page)
  const [video, ...others] = await storedVideos(person)
  expect(others).toEqual([])
  expect(video).toMatchObject({ filename: 'large (fixed).mp4', findings: [] })
  expect(video?.size).toBeLessThan(10_000_000)
})

/** A video of four seconds in a file of so many bytes: most of them are a hole, and take no room on the disk. */
async function largeVideo(file: string, bytes: number): Promise<string> {
  const video = readFileSync(fixture('good.mp4'))
  const unused = Buffer.alloc(8) // the head of a `free` box
  unused.writeUInt32BE(bytes - video.length)
  unused.write('free', 4)
  await writeFile(file, Buffer.concat([video, unused]))
  await truncate(file, bytes)
  return file
}

const folder =
  "navigator.storage.getDirectory().then((root) => root.getDirectoryHandle('fixed videos', { create: true }))"
const leaveFixedFile = `${folder}.then((all) => all.getFileHandle('abandoned', { create: true })).then(() => undefined)`
const fixedFiles = `${folder}.then((all) => Array.fromAsync(all.keys()))`

test('a stored video is fixed from the checks, and the original stays', async ({ page, reelay, person }) => {
  test.slow()
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'instagram' })
  const wide = await uploadVideo(person, sample('wide.mkv', 'video/x-matroska'))
  expect(wide.facts).toMatchObject({ container: 'mkv', width: 2000, fps: 12, audio_rate_hz: 96_000 })
  await logIn(page, person.email, `/dashboard/compose?video=${wide.video_id}`)
  await page.getByRole('checkbox', { name: new RegExp(creator) }).check()
  const checks = page.getByRole('region', { name: 'Checks' })
  await checks.getByRole('button', { name: /^Fix: Instagram: The picture is 2000 x 1126 pixels/ }).click()

  await expect(page.getByText('wide.mp4')).toBeVisible(SLOW)
  await waitUntilUploaded(page)
  const videos = await storedVideos(person)
  const fixed = videos.find(({ filename }) => filename === 'wide.mp4')
  expect(videos.map(({ filename }) => filename).toSorted()).toEqual(['wide.mkv', 'wide.mp4'])
  expect(fixed?.facts.fps).toBeCloseTo(30, 0)
  expect(fixed?.facts).toMatchObject({
    container: 'mp4',
    video_codec: 'avc',
    audio_codec: 'aac',
    audio_rate_hz: 48_000,
    width: 1920,
    height: 1080,
    index_first: true,
  })
  await expect(checks.getByRole('button', { name: /^Fix/ })).toHaveCount(0)
})

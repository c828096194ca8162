import { readFileSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import type { Video } from '#contract/videos.ts'
import { uploadVideo } from '../../support/publish.ts'
import { fixture } from '../../support/sample.ts'
import { expect, goInApp, linkedBrand, logIn, test, type Page, type Person } from '../support/fixtures.ts'

const sample = (name: string, type: string) => new File([readFileSync(fixture(name))], name, { type })
const storedVideos = async (person: Person): Promise<readonly Video[]> =>
  (await person.call('listVideos', {})).videos
const storedNames = async (person: Person) => (await storedVideos(person)).map(({ filename }) => filename)
/** Software encoding is slow on a busy machine. */
const SLOW = { timeout: 120_000 }
const waitUntilUploaded = (page: Page) =>
  expect(page.getByText('Uploaded', { exact: true })).toBeVisible(SLOW)

const MP4 = {
  container: 'mp4',
  video_codec: 'avc',
  audio_codec: 'aac',
  audio_rate_hz: 48_000,
  index_first: true,
}

const folder =
  "navigator.storage.getDirectory().then((root) => root.getDirectoryHandle('fixed videos', { create: true }))"
const leaveFixedFile = `${folder}.then((all) => all.getFileHandle('abandoned', { create: true })).then(() => undefined)`
const fixedFiles = `${folder}.then((all) => Array.fromAsync(all.keys()))`

/** A video of three seconds in a file of this size: most of it is a hole, which uses no disk space. */
async function largeVideo(file: string, bytes: number): Promise<string> {
  const video = readFileSync(fixture('rotated.mov'))
  const unused = Buffer.alloc(8) // the head of a `free` box
  unused.writeUInt32BE(bytes - video.length)
  unused.write('free', 4)
  await writeFile(file, Buffer.concat([video, unused]))
  await truncate(file, bytes)
  return file
}

async function chooseAndFix(page: Page, person: Person, file: string): Promise<void> {
  const stored = await storedNames(person)
  // Visible while the post has no video yet.
  await expect(page.getByRole('button', { name: 'Choose a video', exact: true })).toBeEnabled()
  await page.getByLabel('Video file').setInputFiles(file)
  await expect(page.getByRole('heading', { name: 'Instagram would refuse this file' })).toBeVisible()
  expect(await storedNames(person)).toEqual(stored)
  await page.getByRole('button', { name: 'Fix and upload' }).click()
  await waitUntilUploaded(page)
  // Its draft has an address, so the next page is another post.
  await expect(page).toHaveURL(/draft=/)
}

test('a video that Instagram would refuse is converted in the browser, chosen or stored', async ({
  page,
  reelay,
  person,
}, info) => {
  test.slow()
  const { creator } = await linkedBrand(reelay, person, { title: 'Northwind', platform: 'instagram' })
  await logIn(page, person.email, '/dashboard/compose')

  await test.step('a WebM file is fixed before it is uploaded', async () => {
    await page.evaluate(leaveFixedFile)
    await chooseAndFix(page, person, fixture('vp9.webm'))
    const [video, ...others] = await storedVideos(person)
    expect(others).toEqual([])
    expect(video?.filename).toBe('vp9.mp4')
    expect(video?.facts).toMatchObject({ ...MP4, width: 360, height: 640 })
    expect(video?.facts.duration_s).toBeCloseTo(4, 0)
    expect(video?.findings.filter(({ level }) => level === 'error')).toEqual([])
    // The file of this tab, not of a closed one.
    const kept = await page.evaluate<string[]>(fixedFiles)
    expect([kept.length, kept.includes('abandoned')]).toEqual([1, false])
  })

  await test.step('a file that is too large is made smaller before it is uploaded', async () => {
    await goInApp(page, '/dashboard/compose')
    await chooseAndFix(page, person, await largeVideo(info.outputPath('large.mov'), 310_000_000))
    const [video, ...others] = await storedVideos(person)
    expect(others.map(({ filename }) => filename)).toEqual(['vp9.mp4'])
    expect(video).toMatchObject({
      filename: 'large.mp4',
      findings: [],
      facts: { container: 'mp4', index_first: true },
    })
    expect(video?.size).toBeLessThan(10_000_000)
  })

  await test.step('a stored video is fixed from the checks, and the original stays', async () => {
    const wide = await uploadVideo(person, sample('wide.mkv', 'video/x-matroska'))
    expect(wide.facts).toMatchObject({ container: 'mkv', width: 2000, fps: 12, audio_rate_hz: 96_000 })
    await goInApp(page, `/dashboard/compose?video=${wide.video_id}`)
    await expect(page.getByText('wide.mkv')).toBeVisible()
    await page.getByRole('checkbox', { name: new RegExp(creator) }).check()
    const checks = page.getByRole('region', { name: 'Checks' })
    await checks.getByRole('button', { name: /^Fix: Instagram: The picture is 2000 x 280 pixels/ }).click()

    await expect(page.getByText('wide.mp4')).toBeVisible(SLOW)
    await waitUntilUploaded(page)
    const videos = await storedVideos(person)
    const fixed = videos.find(({ filename }) => filename === 'wide.mp4')
    expect((await storedNames(person)).toSorted()).toEqual(['large.mp4', 'vp9.mp4', 'wide.mkv', 'wide.mp4'])
    expect(fixed?.facts.fps).toBeCloseTo(30, 0)
    expect(fixed?.facts).toMatchObject({ ...MP4, width: 1920, height: 268 })
    await expect(checks.getByRole('button', { name: /^Fix/ })).toHaveCount(0)
  })
})

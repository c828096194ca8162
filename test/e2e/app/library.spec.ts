import { uploadVideo } from '../../support/publish.ts'
import { fixture } from '../../support/sample.ts'
import { GOOD_FACTS } from '#domain/testing/good-facts.ts'
import type { Locator } from '@playwright/test'
import { alert, expect, logIn, test, type Page } from '../support/fixtures.ts'

/** Many times what is rendered at once, over several pages of the list. */
const COUNT = 300
const PAGE = 50

const storedVideo = (id: number) => ({
  video_id: id,
  filename: `clip-${String(id).padStart(4, '0')}.mp4`,
  mime: 'video/mp4',
  size: 1_000_000 + id,
  sha256: '00',
  facts: { ...GOOD_FACTS, duration_s: 12 },
  findings: [],
  poster_url: '/icons/icon-512.png',
  tags: id % 3 === 0 ? ['morning'] : [],
  brand_id: null,
  used_in: { posts: 0, drafts: 0 },
  created_at: '2026-11-01T12:00:00.000Z',
})

/** Answers with a library of this size without files, because only the page is tested. */
async function answerManyVideos(page: Page): Promise<void> {
  await page.route('**/api/v1/videos?*', (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
    const videos = Array.from({ length: PAGE }, (_, at) => storedVideo(start + at + 1))
    return route.fulfill({
      json: { videos, next_cursor: start + PAGE < COUNT ? String(start + PAGE) : null },
    })
  })
}

test('hundreds of videos are walked through a few rows at a time, on laptops and phones', async ({
  page,
  person,
}) => {
  for (const title of ['Northwind Bakery', 'Harbour Coffee', 'Thistledown and Daughters, Purveyors of Teas'])
    await person.call('createBrand', { body: { title } })
  const { video_id } = await uploadVideo(person)
  await person.call('updateVideos', { body: { video_ids: [video_id], add_tags: ['morning'] } })
  await answerManyVideos(page)
  await logIn(page, person.email, '/dashboard/library')
  const bar = page.getByRole('region', { name: 'Selected videos' })

  await test.step('a few rows are rendered at a time, wherever the focus goes', async () => {
    const card = (id: number) =>
      page.getByRole('gridcell', { name: `clip-${String(id).padStart(4, '0')}.mp4` })
    const rendered = () => page.getByRole('gridcell').count()
    await expect(card(1)).toBeVisible()
    await card(1).focus()

    // The focus moves and stays visible while pages are loaded behind it.
    const columns = Number(await page.getByRole('grid').getAttribute('aria-colcount'))
    expect(columns).toBe(6)
    await page.keyboard.press('ArrowDown')
    await expect(card(1 + columns)).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(card(2 + columns)).toBeFocused()
    await expect(card(2 + columns)).toBeInViewport()

    await expect(async () => {
      await page.keyboard.press('Control+End')
      expect(await rendered()).toBeLessThan(80)
      await expect(card(COUNT)).toBeFocused({ timeout: 250 })
    }).toPass({ timeout: 60_000, intervals: [50] })
    await expect(card(COUNT)).toBeInViewport()
    await page.keyboard.press(' ')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowUp')
    await expect(bar).toContainText(`${columns + 2} selected`)
    await expect(card(COUNT - 1 - columns)).toBeInViewport()

    await page.keyboard.press('Control+Home')
    await expect(card(1)).toBeFocused()
    await expect(bar).toContainText(`${columns + 2} selected`)
    expect(await rendered()).toBeLessThan(80)
    await page.keyboard.press('Escape')
    await expect(bar).toBeHidden()
  })

  await test.step('filters and actions are whole', async () => {
    for (const at of [1, 2]) await page.getByRole('checkbox', { name: `Select clip-000${at}.mp4` }).check()
    const filters = page.getByRole('search')
    for (const { width, lines } of [
      { width: 1320, lines: [1, 1] },
      { width: 1000, lines: [2, 2] },
      { width: 390, lines: [2, 2] },
    ]) {
      await page.setViewportSize({ width, height: 840 })
      await expect(filters.getByRole('button', { name: 'Brand' })).toBeVisible()
      await expect(async () =>
        expect([await countLines(filters), await countLines(bar)]).toEqual(lines),
      ).toPass()
    }
  })
})

/** The number of lines of its buttons, none of which is cut. */
async function countLines(place: Locator): Promise<number> {
  const buttons = await place.getByRole('button').evaluateAll((all) =>
    all.map((button) => {
      const { top, height } = button.getBoundingClientRect()
      return {
        name: button.textContent,
        middle: top + height / 2,
        isCut: [button, ...button.querySelectorAll('span')].some(
          ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1,
        ),
      }
    }),
  )
  expect(buttons.filter(({ isCut }) => isCut)).toEqual([])
  const middles = buttons.map(({ middle }) => middle).toSorted((a, b) => a - b)
  return middles.filter((middle, at) => at === 0 || middle - (middles[at - 1] ?? 0) > 12).length
}

test('a video without a picture gets one, and files are uploaded, downloaded and deleted again', async ({
  page,
  person,
}) => {
  const { video_id: videoId, filename } = await uploadVideo(person)
  await logIn(page, person.email, '/dashboard/library')
  const card = page.getByRole('gridcell', { name: filename })

  await test.step('the browser that shows the video makes its picture', async () => {
    await expect
      .poll(() =>
        card.locator('img').evaluate((image) => image instanceof HTMLImageElement && image.naturalHeight),
      )
      .toBeGreaterThan(100)
    const { poster_url } = await person.call('getVideo', { params: { videoId } })
    expect(poster_url).not.toBeNull()
  })

  await test.step('files are uploaded, and a video is downloaded', async () => {
    await page.getByLabel('Video files').setInputFiles([fixture('short.mp4'), fixture('vp9.webm')])
    await expect(alert(page, '2 videos are uploaded.')).toBeVisible()
    await expect(page.getByRole('gridcell')).toHaveCount(3)
    await card.focus()
    await page.keyboard.press('Tab')
    await expect(card.getByRole('button', { name: `More about ${filename}` })).toBeFocused()
    await page.keyboard.press('Enter')
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe(filename)
  })

  await test.step('all are deleted', async () => {
    await card.focus()
    await page.keyboard.press(' ')
    for (const name of ['short.mp4', 'vp9.webm'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Delete 3' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 3 videos' }).click()
    await expect(page.getByText('Videos that you upload stay here')).toBeVisible()
    expect((await person.call('getLibrary')).videos).toBe(0)
  })
})

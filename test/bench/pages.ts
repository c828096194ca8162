/**
 * How smoothly the two largest screens move on a processor four times slower: the queue with 5,000 posts, and the calendar with
 * 2,000 in six weeks. Frames a second from the browser's trace, and the time from a click or key to the next frame.
 * `npm run bench -- pages [turns]`
 */
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import { z } from 'zod'
import { openDb } from '#base/db/open.ts'
import { fillLogin, fromEnvironment } from '../e2e/support/fixtures.ts'
import { createTestDatabase, startTestDatabases } from '../support/database/test-database.ts'
import { median, type Measurement, report } from './report.ts'
import { seedUser } from './seed.ts'
import { overDatabase, PASSWORD, signUp, startServer } from './servers.ts'

const SLOWER = 4
const QUEUED = 5000
const PLANNED = 2000
const EMAIL = 'bench@example.com'
/** Pixels. */
const SCROLL = { distance: 20_000, pixelsPerSecond: 4000 }

const Trace = z.object({
  traceEvents: z.array(z.object({ name: z.string(), ts: z.number() })),
})

const turns = Number(process.argv[2] ?? 3)

const executablePath = fromEnvironment('CHROMIUM_PATH') // by scripts/ready.mjs, with the web app built
const stopDatabases = await startTestDatabases()
const database = await createTestDatabase()
const server = await startServer(overDatabase(database.url))
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await measure(browser)
} finally {
  await browser.close()
  await server.stop()
  await database.drop()
  await stopDatabases()
}

type Figures = { readonly drawn: number[]; readonly updated: number[]; readonly longestMs: number[] }

async function measure(within: Browser): Promise<void> {
  await signUp(server.port, EMAIL)
  await seed()
  const context = await within.newContext({
    baseURL: `http://localhost:${server.port}`,
    viewport: { width: 1320, height: 840 },
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  await page.goto('/')
  await fillLogin(page, EMAIL, PASSWORD)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const queue = await measureQueue(page)
  const calendar = await measureCalendar(page)
  await page.setContent('<div style="height: 100000px; background: linear-gradient(red, blue)"></div>')
  const empty = await repeat(page, async () => {})
  const about = `Headless Chromium with its processor ${SLOWER} times slower, ${turns} turns: frames drawn, and updates of the page's content, while it is scrolled ${SCROLL.pixelsPerSecond} pixels a second; the longest time from a click or key to the next frame. A blank page draws ${median(empty.drawn).toFixed(0)} frames a second.`
  const rows = [
    ...rowsOf(`queue, ${QUEUED} posts`, queue),
    ...rowsOf(`calendar, ${PLANNED} posts in six weeks`, calendar),
  ]
  report({ name: 'pages', about, rows })
}

function rowsOf(what: string, { drawn, updated, longestMs }: Figures): Measurement[] {
  return [
    { what: `${what}: scrolled`, unit: 'frames/s', ours: drawn, promise: { atLeast: 50 } },
    { what: `${what}: scrolled`, unit: 'updates/s', ours: updated },
    { what: `${what}: clicks and keys`, unit: 'ms', ours: longestMs, promise: { atMost: 200 } },
  ]
}

async function seed(): Promise<void> {
  const db = openDb(database.url)
  try {
    const { user_id: userId } = await db.selectFrom('users').select('user_id').executeTakeFirstOrThrow()
    const recent = { published: PLANNED / 2, scheduled: PLANNED / 2 }
    await seedUser(db, userId, Date.now(), { recent, waiting: QUEUED - recent.scheduled })
  } finally {
    await db.destroy()
  }
}

async function measureQueue(page: Page): Promise<Figures> {
  await page.goto('/dashboard/queue?status=scheduled')
  await page.getByRole('button', { name: /^Show more/ }).click()
  await page.evaluate(async () => {
    // The next page is asked for near the end of the list, which has a button until everything is there.
    for (let missing = 0; missing < 60;) {
      scrollTo(0, document.documentElement.scrollHeight)
      await new Promise(requestAnimationFrame)
      missing = document.querySelector('button[aria-label^="Show more"]') === null ? missing + 1 : 0
    }
  })
  const row = (nth: number) => page.locator('li[id^="post-"]').nth(nth)
  return repeat(page, async () => {
    for (const nth of [3, 4, 3, 4]) await row(nth).getByRole('checkbox').click()
    await row(4)
      .getByRole('button', { name: /^More about/ })
      .click()
    await page.getByRole('menuitem').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
  })
}

async function measureCalendar(page: Page): Promise<Figures> {
  await page.goto('/dashboard/calendar?view=list')
  const first = page.locator('[data-stop]').first()
  await first.waitFor()
  return repeat(page, async () => {
    for (const view of ['Month', 'Week', 'List']) {
      await page.getByRole('button', { name: view, exact: true }).click()
      await first.waitFor()
    }
    await first.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
  })
}

/** Scrolls and uses the page in turns. @param touch clicks and keys */
async function repeat(page: Page, touch: () => Promise<void>): Promise<Figures> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const figures: Figures = { drawn: [], updated: [], longestMs: [] }
  for (let i = 0; i < turns; i++) {
    await scroll(page, devtools, figures)
    figures.longestMs.push(await longestOf(page, touch))
  }
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  return figures
}

/** Down from the top, by the wheel. */
async function scroll(page: Page, devtools: CDPSession, { drawn, updated }: Figures): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0))
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline.frame'] })
  await devtools.send('Input.synthesizeScrollGesture', {
    x: 660,
    y: 500,
    yDistance: -SCROLL.distance,
    speed: SCROLL.pixelsPerSecond,
    gestureSourceType: 'mouse',
  })
  const { traceEvents } = Trace.parse(JSON.parse((await browser.stopTracing()).toString()))
  const rateOf = (event: string) => {
    const times = traceEvents.filter(({ name }) => name === event).map(({ ts }) => ts)
    return (times.length * SCROLL.pixelsPerSecond) / SCROLL.distance
  }
  drawn.push(rateOf('DrawFrame'))
  updated.push(rateOf('ActivateLayerTree'))
}

/** The longest time from a click or key to the next frame, in ms; the browser rounds it to 8. */
async function longestOf(page: Page, touch: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    scrollTo(0, 0)
    const seen: PerformanceEntry[] = []
    const options = { type: 'event', durationThreshold: 16 }
    new PerformanceObserver((list) => seen.push(...list.getEntries())).observe(options)
    Object.assign(globalThis, { seen })
  })
  await touch()
  return page.evaluate(async () => {
    // The entries come some time after the frame.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { seen } = globalThis as unknown as { seen: PerformanceEventTiming[] }
    return Math.max(
      0,
      ...seen.filter(({ interactionId }) => interactionId > 0).map(({ duration }) => duration),
    )
  })
}

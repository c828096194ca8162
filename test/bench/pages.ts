/**
 * Measures how smoothly the two largest screens move on a processor four times slower: the queue with 5,000 posts, and the calendar with
 * 2,000 in six weeks. Frames a second from the browser's trace, and the time from a click or key to the next frame.
 * `npm run bench -- pages [turns]`
 */
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import { z } from 'zod'
import { fillLogin, fromEnvironment } from '../e2e/support/fixtures.ts'
import { PASSWORD, signUp } from '../support/test-server.ts'
import { median, type Measurement, report } from './report.ts'
import { seedUser } from './seed.ts'
import { startServer } from './servers.ts'

const SLOWER = 4
const QUEUED = 5000
const PLANNED = 2000
/** Pixels. */
const SCROLL = { distance: 20_000, pixelsPerSecond: 4000 }

const Trace = z.object({
  traceEvents: z.array(z.object({ name: z.string() })),
})

const turns = Number(process.argv[2] ?? 3)

const executablePath = fromEnvironment('CHROMIUM_PATH') // by scripts/ready.mjs, with the web app built
const server = await startServer()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await measure(browser)
} finally {
  await browser.close()
  await server.stop()
}

type Figures = { readonly drawn: number[]; readonly longestMs: number[] }

async function measure(within: Browser): Promise<void> {
  const person = await signUp(server)
  const recent = { published: PLANNED / 2, scheduled: PLANNED / 2 }
  const { user_id: userId } = await person.call('getUser')
  await seedUser(server.db, userId, { recent, waiting: QUEUED - recent.scheduled })
  const context = await within.newContext({
    baseURL: server.url.replace('127.0.0.1', 'localhost'),
    viewport: { width: 1320, height: 840 },
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  await page.goto('/')
  await fillLogin(page, person.email, PASSWORD)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const queue = await measureQueue(page)
  const calendar = await measureCalendar(page)
  await page.setContent('<div style="height: 100000px; background: linear-gradient(red, blue)"></div>')
  const blank = await repeat(page, async () => {})
  report({
    name: 'pages',
    about: `Headless Chromium with its processor ${SLOWER} times slower, ${turns} turns: frames drawn while a page is scrolled ${SCROLL.pixelsPerSecond} pixels a second; the longest time from a click or key to the next frame. A blank page draws ${median(blank.drawn).toFixed(0)} frames a second.`,
    rows: [
      ...rowsOf(`queue, ${QUEUED} posts`, queue),
      ...rowsOf(`calendar, ${PLANNED} posts in six weeks`, calendar),
    ],
  })
}

function rowsOf(what: string, { drawn, longestMs }: Figures): Measurement[] {
  return [
    { what: `${what}: scrolled`, unit: 'frames/s', ours: drawn, promise: { atLeast: 50 } },
    { what: `${what}: clicks and keys`, unit: 'ms', ours: longestMs, promise: { atMost: 200 } },
  ]
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
    // Free slots are links, which lead to a new post.
    await page.locator('button[data-stop]').first().click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
  })
}

/** Scrolls and uses the page in turns. @param touch clicks and keys */
async function repeat(page: Page, touch: () => Promise<void>): Promise<Figures> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const figures: Figures = { drawn: [], longestMs: [] }
  for (let i = 0; i < turns; i++) {
    figures.drawn.push(await scroll(page, devtools))
    figures.longestMs.push(await longestOf(page, touch))
  }
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  return figures
}

/** Down from the top, by the wheel. @returns frames drawn in a second */
async function scroll(page: Page, devtools: CDPSession): Promise<number> {
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
  const frames = traceEvents.filter(({ name }) => name === 'DrawFrame').length
  return (frames * SCROLL.pixelsPerSecond) / SCROLL.distance
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

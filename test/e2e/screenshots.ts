import path from 'node:path'
import { openBakery } from './bakery.ts'
import { logIn, test } from './fixtures.ts'
import { SCREENS, showIn } from './screens.ts'

const DIR = process.env['SCREENSHOTS_DIR'] ?? 'test-results/screenshots'

const DEVICES = [
  { device: 'desktop', viewport: { width: 1320, height: 840 } },
  { device: 'phone', viewport: { width: 390, height: 844 } },
]

for (const who of ['visitor', 'newcomer', 'owner'] as const)
  test(`pictures of what a ${who} sees`, async ({ page, person, reelay }) => {
    if (who === 'owner') await openBakery(reelay, person)
    if (who !== 'visitor') await logIn(page, person.email)
    for (const { name, open, phoneOnly } of SCREENS.filter((screen) => screen.who === who))
      for (const { device, viewport } of DEVICES.slice(phoneOnly ? 1 : 0)) {
        await page.setViewportSize(viewport)
        await open(page)
        // The whole of it as one tall window: what sticks to an edge stays at the edge.
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) })
        for (const colorScheme of ['light', 'dark'] as const) {
          await showIn(page, colorScheme)
          await page.screenshot({ path: path.join(DIR, `${name}-${device}-${colorScheme}.png`) })
        }
      }
  })

import path from 'node:path'
import { logIn, test } from './support/fixtures.ts'
import { SCREENS, showIn, VIEWERS, type Viewer } from './support/screens.ts'
import { findEmail } from './support/viewers.ts'

const DIR = process.env['SCREENSHOTS_DIR'] ?? 'test-results/screenshots'

const DEVICES = [
  { device: 'desktop', viewport: { width: 1320, height: 840 } },
  { device: 'phone', viewport: { width: 390, height: 844 } },
]

for (const viewer of Object.keys(VIEWERS) as Viewer[])
  // the keys are its own
  test(`screenshots of what ${VIEWERS[viewer]} sees`, async ({ page, reelay }) => {
    const email = await findEmail(viewer, reelay)
    if (email !== null) await logIn(page, email)
    for (const { name, open, phoneOnly } of SCREENS.filter((screen) => screen.viewer === viewer))
      for (const { device, viewport } of DEVICES.slice(phoneOnly ? 1 : 0)) {
        await page.setViewportSize(viewport)
        await open(page)
        // One tall window: sticky elements stay at their edge.
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) })
        for (const colorScheme of ['light', 'dark'] as const) {
          await showIn(page, colorScheme)
          await page.screenshot({ path: path.join(DIR, `${name}-${device}-${colorScheme}.png`) })
        }
      }
  })

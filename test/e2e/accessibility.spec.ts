import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { openBakery } from './bakery.ts'
import { expect, logIn, test } from './fixtures.ts'
import { SCREENS, showIn, type Onlooker } from './screens.ts'

const WIDE = { width: 1320, height: 840 }
const NARROW = { width: 360, height: 740 }

for (const who of ['visitor', 'newcomer', 'owner'] as const)
  test(`what a ${who} sees has no violation in either colour scheme, fits a phone and breaks no rule of the page`, async ({
    page,
    person,
    reelay,
  }) => {
    test.slow()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      // A policy that is broken is said here too.
      if (message.type() === 'error') complaints.push(message.text())
    })
    if (who === 'owner') await openBakery(reelay, person)
    if (who !== 'visitor') await logIn(page, person.email)

    for (const { name, open, refused, phoneOnly } of seenBy(who))
      await test.step(name, async () => {
        await page.setViewportSize(phoneOnly ? NARROW : WIDE)
        await open(page)
        await showIn(page, 'light')
        expect.soft(await violations(page), `${name}, light`).toEqual([])
        await showIn(page, 'dark')
        expect.soft(await violations(page), `${name}, dark`).toEqual([])
        await page.setViewportSize(NARROW)
        expect.soft(await violations(page), `${name}, narrow`).toEqual([])
        expect.soft(await tooWide(page), `${name}: what sticks out at ${NARROW.width} px`).toEqual([])
        expect.soft(refused ? [] : complaints, `${name}: what the browser complains of`).toEqual([])
        complaints.length = 0
      })
  })

const seenBy = (who: Onlooker) => SCREENS.filter((screen) => screen.who === who)

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(', ')})`)
}

/** What makes a page scroll sideways. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120))
  })

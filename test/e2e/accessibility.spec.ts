import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { openBakery } from './bakery.ts'
import { expect, logIn, test } from './fixtures.ts'
import { SCREENS, showIn, type Onlooker } from './screens.ts'

const WIDE = { width: 1320, height: 840 }
const WIDEST = { width: 1920, height: 1080 }
const NARROW = { width: 360, height: 740 }
/** What a thumb hits, in px. */
const THUMB = 44

for (const [who, viewer] of [
  ['visitor', 'a visitor'],
  ['newcomer', 'a new user'],
  ['owner', 'a user with posts'],
] as const)
  test(`every screen of ${viewer} is accessible in both colour schemes and fits 360 to 1920 px`, async ({
    page,
    person,
    reelay,
  }) => {
    test.slow()
    const complaints: string[] = []
    const thumb = await thumbOf(page)
    await page.addInitScript(() =>
      addEventListener('securitypolicyviolation', (event) =>
        // oxlint-disable-next-line no-console -- how the page tells the test
        console.error(`${event.violatedDirective} forbids ${event.blockedURI}`),
      ),
    )
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
        expect.soft(await faint(page), `${name}, light: edges under 3:1`).toEqual([])
        await showIn(page, 'dark')
        expect.soft(await faint(page), `${name}, dark: edges under 3:1`).toEqual([])
        expect.soft(await moving(page), `${name}: what moves though it is asked not to`).toEqual([])
        await page.setViewportSize(WIDEST)
        expect.soft(await tooWide(page), `${name}: what sticks out at ${WIDEST.width} px`).toEqual([])
        await page.setViewportSize(NARROW)
        // The colours alone differ; what the narrow layout adds is looked at on the way.
        expect.soft(await violations(page, ['color-contrast']), `${name}, dark and narrow`).toEqual([])
        expect.soft(await tooWide(page), `${name}: what sticks out at ${NARROW.width} px`).toEqual([])
        await thumb.use()
        await expect
          .configure({ soft: true, timeout: 3_000 })
          .poll(() => tooSmall(page), `${name}: what is smaller than a thumb`)
          .toEqual([])
        await thumb.rest()
        expect.soft(refused ? [] : complaints, `${name}: what the browser complains of`).toEqual([])
        complaints.length = 0
      })
  })

const seenBy = (who: Onlooker) => SCREENS.filter((screen) => screen.who === who)

/** @param rules of axe; all of them where absent */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations: found } = await (rules ? axe.withRules(rules) : axe).analyze()
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(', ')})`)
}

/** Fields and bordered buttons whose edge has a contrast of less than 3:1 with what they stand on. */
const faint = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const paint = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    const rgba = (colour: string): readonly number[] => {
      paint?.clearRect(0, 0, 1, 1)
      if (paint) paint.fillStyle = colour
      paint?.fillRect(0, 0, 1, 1)
      return [...(paint?.getImageData(0, 0, 1, 1).data ?? [])]
    }
    const luminance = (colour: string) => {
      const [r = 0, g = 0, b = 0] = rgba(colour)
        .map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const ground = (element: Element | null): string => {
      if (element === null) return 'white'
      const colour = getComputedStyle(element).backgroundColor
      return rgba(colour)[3] === 255 ? colour : ground(element.parentElement)
    }
    const edged = '.mantine-Input-input, .mantine-Button-root[data-variant=default]'
    return [...document.querySelectorAll(edged)].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      // What cannot be used is exempt; what has the focus has its ring.
      if (control.matches(':disabled, :focus-within')) return []
      const pair = [getComputedStyle(control).borderTopColor, ground(control.parentElement)].map(luminance)
      const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)
      return contrast >= 3 ? [] : [`${contrast.toFixed(2)}: ${control.outerHTML.slice(0, 160)}`]
    })
  })

/** What makes a page scroll sideways. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120))
  })

/** A phone's screen: the pointer is a thumb until it rests. */
async function thumbOf(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  const touch = async (enabled: boolean) => {
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled })
    await page.waitForFunction((wanted) => matchMedia('(pointer: coarse)').matches === wanted, enabled)
  }
  return { use: () => touch(true), rest: () => touch(false) }
}

/** Controls of ours that a thumb would miss. A link within a sentence is as high as its line. */
const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    if (document.getElementById('root') === null) return [] // the practice platforms look as they stand for
    const controls =
      'a[href], button, input, textarea, summary, [role=button], [role=menuitem], [role=option]'
    return [...document.querySelectorAll<HTMLElement>(controls)].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      // Fourteen days of a chart side by side: as wide as there is room, and gone through by keyboard and by sliding.
      if (control.closest('[role=toolbar]')) return []
      if (control.matches('a') && getComputedStyle(control).display === 'inline') return []
      // A box or a switch is pressed by its label too, and a field by its edge.
      const whole = control.matches('[type=checkbox], [type=radio]')
        ? control.closest('[class*=root]')
        : control.closest('.mantine-PasswordInput-input')
      const { width, height } = (control.matches('input') && whole ? whole : control).getBoundingClientRect()
      const fits = Math.min(width, height) >= least - 0.5 || width <= 1
      return fits ? [] : [`${Math.round(width)} x ${Math.round(height)}: ${control.outerHTML.slice(0, 160)}`]
    })
  }, THUMB)

/** What changes over time although the user asked the system for stillness. */
const moving = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    return [...document.querySelectorAll('body *')]
      .filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        const seconds = `${transitionDuration},${animationDuration}`.split(',')
        return seconds.some((each) => Number.parseFloat(each) > 0.001)
      })
      .map((element) => element.outerHTML.slice(0, 120))
  })

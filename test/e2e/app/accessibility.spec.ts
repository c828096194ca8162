import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type axe from 'axe-core'
import { expect, logIn, test } from '../support/fixtures.ts'
import {
  BETWEEN_SCREENS,
  leaveScreen,
  SCREENS,
  sharePage,
  showIn,
  VIEWERS,
  type Screen,
  type Viewer,
} from '../support/screens.ts'
import { findEmail } from '../support/viewers.ts'

const WIDE = { width: 1320, height: 840 }
const WIDEST = { width: 1920, height: 1080 }
const NARROW = { width: 360, height: 740 }
/** The least size of a touch target, in px. */
const THUMB = 44

/** Small, so that both workers stay busy until the end. */
const GROUP_SIZE = 9

for (const viewer of Object.keys(VIEWERS) as Viewer[]) {
  // Screens that share a page follow each other.
  const screensOf = SCREENS.filter((screen) => screen.viewer === viewer)
  const groups = chunk(
    screensOf.toSorted(({ page: one = '' }, { page: other = '' }) => one.localeCompare(other)),
    GROUP_SIZE,
  )
  for (const [index, screens] of groups.entries())
    test(`screens of ${VIEWERS[viewer]} (${index + 1} of ${groups.length}) are accessible from 360 to 1920 px`, async ({
      page,
      reelay,
    }) => {
      test.slow()
      const errors = await collectBrowserErrors(page)
      const pointer = await readPointer(page)
      const email = await findEmail(viewer, reelay)
      if (email !== null) await logIn(page, email, BETWEEN_SCREENS)
      for (const [at, screen] of screens.entries())
        await test.step(screen.name, async () => {
          await checkScreen(page, screen, { pointer, before: screens[at - 1] })
          const unexpected = errors.splice(0)
          expect.soft(screen.refused ? [] : unexpected, `${screen.name}: errors of the browser`).toEqual([])
        })
    })
}

function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
}

/** Collects script errors, console errors and violations of the content security policy. */
async function collectBrowserErrors(page: Page): Promise<string[]> {
  const errors: string[] = []
  await page.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) =>
      // oxlint-disable-next-line no-console -- how the page tells the test
      console.error(`${event.violatedDirective} forbids ${event.blockedURI}`),
    ),
  )
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`)
  })
  return errors
}

async function checkScreen(
  page: Page,
  screen: Screen,
  { pointer, before }: { pointer: Pointer; before: Screen | undefined },
): Promise<void> {
  const { name, open, phoneOnly } = screen
  await page.setViewportSize(phoneOnly ? NARROW : WIDE)
  if (before && sharePage(before, screen)) await leaveScreen(page)
  await open(page)
  await showIn(page, 'light')
  expect.soft(await violations(page), `${name}, light`).toEqual([])
  expect.soft(await faintEdges(page), `${name}, light: edges under 3:1`).toEqual([])
  await showIn(page, 'dark')
  expect.soft(await faintEdges(page), `${name}, dark: edges under 3:1`).toEqual([])
  expect.soft(await animated(page), `${name}: animated despite reduced motion`).toEqual([])
  await page.setViewportSize(WIDEST)
  expect.soft(await overflowing(page), `${name}: wider than ${WIDEST.width} px`).toEqual([])
  await page.setViewportSize(NARROW)
  // Dark mode differs only in colours; checked in the narrow layout, which has its own parts too.
  expect.soft(await violations(page, ['color-contrast']), `${name}, dark and narrow`).toEqual([])
  expect.soft(await overflowing(page), `${name}: wider than ${NARROW.width} px`).toEqual([])
  await pointer.coarse()
  await expect
    .configure({ soft: true, timeout: 10_000 })
    .poll(() => smallTargets(page), `${name}: smaller than a thumb`)
    .toEqual([])
  await pointer.fine()
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
type WithAxe = { axe: typeof axe }

/** @param rules of axe; default: all */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Once per document: sending and compiling it costs more than a check.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async (only) => {
    const checker = globalThis as unknown as WithAxe
    const { violations: found } = await checker.axe.run(document, {
      resultTypes: ['violations'],
      ...(only && { runOnly: { type: 'rule', values: only } }),
    })
    return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(', ')})`)
  }, rules)
}

/** Fields whose edge contrasts less than 3:1 with the background. A button needs none: its words show where it is. */
const faintEdges = (page: Page): Promise<string[]> =>
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
    return [...document.querySelectorAll('.mantine-Input-input')].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      // Disabled controls are exempt; a focused one has its ring.
      if (control.matches(':disabled, :focus-within')) return []
      const pair = [getComputedStyle(control).borderTopColor, ground(control.parentElement)].map(luminance)
      const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)
      return contrast >= 3 ? [] : [`${contrast.toFixed(2)}: ${control.outerHTML.slice(0, 160)}`]
    })
  })

/** Elements that make the page scroll sideways. */
const overflowing = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120))
  })

type Pointer = { coarse(): Promise<void>; fine(): Promise<void> }

/** Switches the pointer that CSS sees: coarse as on a phone, or fine. */
async function readPointer(page: Page): Promise<Pointer> {
  const devtools = await page.context().newCDPSession(page)
  const touch = async (enabled: boolean) => {
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled })
    await page.waitForFunction((wanted) => matchMedia('(pointer: coarse)').matches === wanted, enabled)
  }
  return { coarse: () => touch(true), fine: () => touch(false) }
}

/** Controls under 44 px, except links within a sentence. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    if (document.getElementById('root') === null) return [] // a page of the practice platforms
    const controls =
      'a[href], button, input, textarea, summary, [role=button], [role=menuitem], [role=option]'
    return [...document.querySelectorAll<HTMLElement>(controls)].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      // The chart's fourteen days share the width; keyboard and sliding reach them too.
      if (control.closest('[role=toolbar]')) return []
      if (control.matches('a') && getComputedStyle(control).display === 'inline') return []
      // A checkbox or switch is also pressed by its label, a field by its edge.
      const whole = control.matches('[type=checkbox], [type=radio]')
        ? control.closest('[class*=root]')
        : control.closest('.mantine-PasswordInput-input')
      const { width, height } = (control.matches('input') && whole ? whole : control).getBoundingClientRect()
      const fits = Math.min(width, height) >= least - 0.5 || width <= 1
      return fits ? [] : [`${Math.round(width)} x ${Math.round(height)}: ${control.outerHTML.slice(0, 160)}`]
    })
  }, THUMB)

/** Elements with a transition or animation, although the test asks for reduced motion. */
const animated = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    return [...document.querySelectorAll('body *')]
      .filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        const seconds = `${transitionDuration},${animationDuration}`.split(',')
        return seconds.some((each) => Number.parseFloat(each) > 0.001)
      })
      .map((element) => element.outerHTML.slice(0, 120))
  })

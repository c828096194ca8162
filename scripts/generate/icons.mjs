// `npm run icons`: renders the app icons from src/web/public/favicon.svg in Chromium. Run it when the logo changes, and commit
// the result.
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { ensureBrowser } from '../browser.mjs'
import { root, say } from '../run.mjs'

const from = path.join(root, 'src/web/public')
const to = path.join(from, 'icons')
const mark = readFileSync(path.join(from, 'favicon.svg'), 'utf8')
const petrol = /fill="(#\w+)"/.exec(mark)?.[1] ?? 'none'

/** `cut`: the system crops it to its own shape, so the background fills the corners; otherwise they are transparent. */
const icons = [
  { name: 'icon-192.png', side: 192, cut: false },
  { name: 'icon-512.png', side: 512, cut: false },
  { name: 'maskable-192.png', side: 192, cut: true },
  { name: 'maskable-512.png', side: 512, cut: true },
  { name: 'apple-touch-icon.png', side: 180, cut: true },
]

const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] })
mkdirSync(to, { recursive: true })
const page = await browser.newPage()
for (const { name, side, cut } of icons) {
  await page.setViewportSize({ width: side, height: side })
  await page.setContent(`<style>
    body { margin: 0; background: ${cut ? petrol : 'transparent'} }
    svg { display: block; width: 100vw; height: 100vh }
  </style>${mark}`)
  await page.screenshot({ path: path.join(to, name), omitBackground: true })
  say(`src/web/public/icons/${name}`)
}
await browser.close()

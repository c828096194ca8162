// `npm run screenshots`: screenshots of every screen, taken in the browser on the real server.
// SCREENSHOTS_DIR: the target folder (test-results/screenshots).
import { spawn } from 'node:child_process'
import path from 'node:path'
import { ensureBrowser } from '../browser.mjs'
import { root } from '../run.mjs'
import { ensureWeb } from '../build.mjs'

await ensureWeb(process.execPath)
const child = spawn(
  process.execPath,
  [
    path.join(root, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--config',
    path.join(root, 'test/e2e/screenshots.config.ts'),
  ],
  { cwd: root, env: { ...process.env, CHROMIUM_PATH: await ensureBrowser() }, stdio: 'inherit' },
)
process.exitCode = await new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)))

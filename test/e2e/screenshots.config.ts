import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

/** `npm run screenshots`: not part of `npm test`. */
export default defineConfig(config, { testMatch: 'screenshots.ts', timeout: 300_000 })

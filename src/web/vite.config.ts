import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressFiles } from './build/compress.ts'
import { stripDescriptions } from './build/descriptions.ts'
import { withoutFetchAdapter } from './build/without-fetch-adapter.ts'
import { withoutJsonSchema } from './build/without-json-schema.ts'
import { weighPages } from './build/weight.ts'

/** `npm run dev`: the server, where Vite serves the page. */
const server = `http://localhost:${process.env['PORT'] ?? 4400}`

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** A screen with its frame, and with the identity provider, which opens the session before a screen is shown. */
const dashboard = (screen: string): string[] => ['app/dashboard-layout.tsx', 'session/identity.ts', screen]

export default defineConfig({
  root: here('.'),
  plugins: [
    react({ jsxImportSource: '#web/jsx' }),
    stripDescriptions(here('../contract/')),
    withoutJsonSchema(),
    withoutFetchAdapter(),
    weighPages([
      { name: 'login', modules: ['session/login-screen.tsx'], maxBytes: 160_000 },
      { name: 'overview', modules: dashboard('overview/overview-screen.tsx'), maxBytes: 266_000 },
      { name: 'calendar', modules: dashboard('planning/calendar-screen.tsx'), maxBytes: 290_000 },
      { name: 'composer', modules: dashboard('composer/compose-screen.tsx'), maxBytes: 300_000 },
    ]),
    compressFiles(),
  ],
  build: {
    outDir: here('../../dist/web'),
    emptyOutDir: true,
    // The security policy allows no script and no font from a data: address.
    assetsInlineLimit: 0,
    // The AAC encoder is one file; it is loaded where a fix needs it and the browser has none.
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    // What the first screens import becomes three files. Left alone, the overview is 76 scripts, most of 1 kB: on a phone the
    // page shows 1.5 s later for it, by more than the 4 kB that it is lighter.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'] },
            { name: 'login', test: /session.login-screen/ },
            { name: 'dashboard', test: /app.dashboard-layout|overview.overview-screen/ },
          ],
        },
      },
    },
  },
  // The slash matters: /api.ts and /identity.ts are source files.
  server: {
    strictPort: true,
    proxy: {
      '/api/': server,
      '/help/': server,
      '/identity/': server,
      '/media/': server,
      '/hooks/': server,
      '/cli/': server,
      // No source file of the web app has such an address.
      '^/(mcp|connect|authorize|oauth/[a-z]+|\\.well-known/.*)(\\?.*)?$': server,
    },
  },
})

import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunkGroups } from './build/chunks.ts'
import { compressFiles } from './build/compress.ts'
import { stripDescriptions } from './build/descriptions.ts'
import { hintPages } from './build/hints.ts'
import { withoutFetchAdapter } from './build/without-fetch-adapter.ts'
import { withoutJsonSchema } from './build/without-json-schema.ts'
import { weighPages } from './build/weight.ts'

/** The API in development, where Vite serves the page. */
const server = 'http://localhost:4400'

const main = 'app/main.tsx'
const layout = 'screens/dashboard/dashboard-layout.tsx'
const login = [main, 'screens/login/login-screen.tsx']
const signUp = [main, 'screens/sign-up/sign-up-screen.tsx']
/** With the identity provider: it opens the session while the frame is painted. */
const dashboard = [main, layout, 'session/identity.ts']
const overview = [...dashboard, 'screens/overview/overview-screen.tsx']
const calendar = [...dashboard, 'screens/calendar/calendar-screen.tsx']
const compose = [...dashboard, 'screens/compose/compose-screen.tsx']

/** One file for what pages load together: on a phone a request costs more than a few unused bytes. */
const CHUNKS = [
  // The entry alone: it loads `main` once the shell is painted.
  { name: 'index', modules: ['app/start.ts'] },
  // The last two are shared by sign-up and dashboard, which should not load each other.
  { name: 'main', modules: [main, 'lib/format/moments.ts', 'lib/server-time.ts'] },
  { name: 'common', packages: '@mantine', minShareCount: 14 },
  { name: 'front', modules: [...login, ...signUp] },
  { name: 'calls', modules: ['client/queries.ts'] },
  { name: 'dashboard', modules: [layout, 'screens/overview/overview-screen.tsx'] },
  // Shared by the overview's parts, the calendar and the composer, which should not load each other.
  {
    name: 'marks',
    modules: [
      'components/display/status.tsx',
      'components/display/thumbnail.tsx',
      'platforms/platform-name.tsx',
      'lib/dom/use-now.ts',
      'posts/post.ts',
    ],
  },
  { name: 'overview-parts', modules: ['screens/overview/overview-sections.tsx'] },
  { name: 'controls', packages: '@mantine', minShareCount: 5 },
]

const asks = ['/api/v1/settings']

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  plugins: [
    react({ jsxImportSource: '#web/jsx' }),
    stripDescriptions(here('../contract/')),
    withoutJsonSchema(),
    withoutFetchAdapter(),
    weighPages([
      { name: 'login', modules: login, maxBytes: 160_000 },
      { name: 'sign-up', modules: signUp, maxBytes: 163_000 },
      { name: 'dashboard', modules: overview, maxBytes: 260_000 },
      { name: 'calendar', modules: calendar, maxBytes: 290_000 },
      { name: 'composer', modules: compose, maxBytes: 300_000 },
    ]),
    hintPages({
      'index.html': { modules: login, shell: here('shells/front.html'), paintsFirst: false, asks: [] },
      'dashboard.html': { modules: dashboard, shell: here('shells/frame.html'), paintsFirst: true, asks },
      'overview.html': { modules: overview, shell: here('shells/overview.html'), paintsFirst: true, asks },
    }),
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
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunkGroups(here('.'), CHUNKS) },
      },
    },
  },
  // The slash matters: /api.ts and /identity.ts are source files.
  server: { proxy: { '/api/': server, '/identity/': server, '/media/': server } },
})

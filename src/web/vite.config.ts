import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressFiles } from './build/compress.ts'
import { hintPages } from './build/hints.ts'
import { weighPages } from './build/weight.ts'

/** Where the server of a development machine listens; the page itself comes from Vite. */
const server = 'http://localhost:4400'

const login = ['app/main.tsx', 'screens/login/login-screen.tsx']
/** With the identity provider, which opens the session while the frame is painted. */
const dashboard = ['app/main.tsx', 'screens/dashboard/dashboard-layout.tsx', 'session/identity.ts']
const overview = [...dashboard, 'screens/overview/overview-screen.tsx']

/** What every page runs. */
const BASE = [
  'node_modules/react/',
  'node_modules/react-dom/',
  'node_modules/react-router/',
  'node_modules/scheduler/',
  '@mantine/core/esm/core/',
  '/UnstyledButton/',
  '/Button/',
  '/Loader/',
  '/VisuallyHidden/',
  '/use-id/',
  '/random-id/',
  '/use-isomorphic-effect/',
  'web/lib/form-drafts.ts',
  'web/lib/json-of.ts',
  'web/lib/storage-keys.ts',
  'web/components/page/page-title.ts',
]
/** What every form is made of. */
const FIELDS = [
  '/Input/',
  '/InputBase/',
  '/TextInput/',
  '/PasswordInput/',
  '/CloseButton/',
  '/ActionIcon/',
  '/use-uncontrolled/',
  'web/components/page/front-fields.tsx',
  'web/lib/dom/focus-first.ts',
]
/** What asks the API, with the contract that answers are read by. */
const CALLS = [
  'node_modules/axios/',
  'node_modules/zod/',
  'node_modules/@tanstack/query-core/',
  'src/contract/',
  'src/web/client/api.ts',
  'src/web/client/queries.ts',
]
/** The frame, and the overview until its data are here. */
const DASHBOARD = [
  'node_modules/@tanstack/react-query/',
  'node_modules/@tabler/icons-react/',
  '@mantine/notifications/esm/notifications.store',
  'node_modules/@mantine/store/',
  '/Burger/',
  '/Skeleton/',
  '/use-disclosure/',
  'screens/dashboard/dashboard-layout.tsx',
  'screens/dashboard/sidebar.tsx',
  'screens/dashboard/dashboard.module.css',
  'screens/overview/overview-screen.tsx',
  'screens/overview/overview.module.css',
  'screens/overview/waiting-overview.tsx',
  'web/posts/live-header.tsx',
  'web/components/feedback/announce.tsx',
  'web/components/display/card.',
  'web/components/display/icons.tsx',
  'web/components/feedback/notices-place.ts',
  'web/lib/format/reading-time.ts',
  'web/components/page/page-region.ts',
  'web/components/feedback/query-trouble.tsx',
  'web/components/display/status.',
  'web/lib/format/amounts.ts',
  'web/lib/dom/stray-drops.ts',
  'web/components/feedback/waiting.tsx',
  'web/posts/use-live-posts.ts',
  'web/session/browser-store.ts',
  'web/client/live.ts',
  'web/posts/posts-cache.ts',
  'web/video/uploads.ts',
]
/** What the overview shows of its data. */
const OVERVIEW_PARTS = [
  'screens/overview/',
  'web/posts/',
  'web/linking/link-flow.ts',
  'web/platforms/branding.tsx',
  'web/lib/dom/use-now.ts',
  'web/components/feedback/confirm.',
  'web/components/display/copy-button.tsx',
  'web/platforms/platform-name.',
  'web/components/display/avatar.',
  'web/components/display/thumbnail.',
]
/** @param parts of paths, with `/` on every system */
const within = (parts: readonly string[]) => (id: string) =>
  parts.some((part) => id.replaceAll('\\', '/').includes(part)) && !/contract.(texts|addresses)/.test(id)

/** Every page has these texts, without the rest of the contract. */
const isText = (id: string) => /contract.texts\.ts$/.test(id)

const asks = ['/api/v1/settings']

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  plugins: [
    react(),
    weighPages([
      { name: 'login', modules: login, maxBytes: 158_000 },
      { name: 'sign-up', modules: ['app/main.tsx', 'screens/sign-up/sign-up-screen.tsx'], maxBytes: 163_000 },
      { name: 'dashboard', modules: overview, maxBytes: 260_000 },
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
    // The policy allows no script and no font from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A request costs a phone more than a few bytes: what pages need together is one file.
          includeDependenciesRecursively: false,
          groups: [
            {
              name: 'base',
              priority: 1,
              includeDependenciesRecursively: true,
              test: (id) => isText(id) || within(BASE)(id),
            },
            { name: 'fields', test: within(FIELDS) },
            { name: 'calls', test: within(CALLS) },
            { name: 'dashboard', test: within(DASHBOARD) },
            { name: 'overview-parts', test: within(OVERVIEW_PARTS) },
          ],
        },
      },
    },
  },
  // With the slash: /api.ts and /identity.ts are files of ours.
  server: { proxy: { '/api/': server, '/identity/': server, '/media/': server } },
})

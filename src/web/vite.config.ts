import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressFiles } from './build/compress.ts'
import { hintPages } from './build/hints.ts'
import { weighPages } from './build/weight.ts'

/** Where the server of a development machine listens; the page itself comes from Vite. */
const server = 'http://localhost:4400'

const login = ['screens/login/login-screen.tsx']
/** With the identity provider, which opens the session while the frame is painted. */
const dashboard = ['screens/dashboard/dashboard-layout.tsx', 'identity.ts']
const overview = [...dashboard, 'screens/overview/overview-screen.tsx']

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    react(),
    weighPages([
      { name: 'login', modules: login, maxBytes: 180_000 },
      { name: 'sign-up', modules: ['screens/sign-up/sign-up-screen.tsx'], maxBytes: 180_000 },
      { name: 'dashboard', modules: overview, maxBytes: 260_000 },
    ]),
    hintPages({ 'index.html': login, 'dashboard.html': dashboard }),
    compressFiles(),
  ],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    // The policy allows no script and no font from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A request costs a phone more than a few bytes: what all pages need is one file, what all forms need another.
          groups: [
            {
              name: 'base',
              priority: 1,
              test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]|@mantine[\\/]core[\\/]esm[\\/]core[\\/]|[\\/](UnstyledButton|Button|Loader|VisuallyHidden|use-id|random-id|use-isomorphic-effect)[\\/]/,
            },
            {
              name: 'fields',
              includeDependenciesRecursively: false,
              test: /[\\/](Input|InputBase|TextInput|PasswordInput|CloseButton|ActionIcon|use-uncontrolled)[\\/]|web[\\/]ui[\\/](front-fields|focus-first)/,
            },
          ],
        },
      },
    },
  },
  // With the slash: /api.ts and /identity.ts are files of ours.
  server: { proxy: { '/api/': server, '/identity/': server, '/media/': server } },
})

import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressFiles } from './build/compress.ts'
import { weighPages } from './build/weight.ts'

/** Where the server of a development machine listens; the page itself comes from Vite. */
const server = 'http://localhost:4400'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    react(),
    weighPages([
      { name: 'login', modules: ['screens/login/login-screen.tsx'], maxBytes: 180_000 },
      { name: 'sign-up', modules: ['screens/sign-up/sign-up-screen.tsx'], maxBytes: 180_000 },
      {
        name: 'dashboard',
        // With the identity provider, which opens the session while the frame is painted.
        modules: [
          'screens/dashboard/dashboard-layout.tsx',
          'screens/overview/overview-screen.tsx',
          'identity.ts',
        ],
        maxBytes: 260_000,
      },
    ]),
    compressFiles(),
  ],
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    // The policy allows no script and no font from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // With the slash: /api.ts and /identity.ts are files of ours.
  server: { proxy: { '/api/': server, '/identity/': server, '/media/': server, '/posters/': server } },
})

// `npm run dev`: Vite serves the web app and replaces what changes in the page; the server behind it starts again with each change.
import { spawn } from 'node:child_process'
import { createServer } from 'vite'
import { root, say } from './run.mjs'

const vite = await createServer({ configFile: 'src/web/vite.config.ts' })
await vite.listen()
const url = `http://localhost:${vite.config.server.port}`
const server = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'src/server/main.ts'], {
  cwd: root,
  env: { ...process.env, PUBLIC_URL: url },
  stdio: 'inherit',
})
for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.on(event, () => server.kill())
say(`The web app is at ${url}`)
process.exitCode = await new Promise((resolve) => server.once('exit', (code) => resolve(code ?? 0)))
await vite.close()
process.disconnect?.()

#!/usr/bin/env node
// `npx reelay` in a checkout: builds the command if its sources changed, then runs it. Needs only Node 20.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isBuilt } from './build.mjs'
import { root } from './run.mjs'

if (!isBuilt()) {
  // The build's output goes to standard error, or it would be taken for the answer.
  const { status } = spawnSync(process.execPath, ['scripts/ready.mjs', 'build'], {
    cwd: root,
    stdio: ['ignore', 2, 'inherit'],
  })
  if (status !== 0) process.exit(1)
}
await import(pathToFileURL(path.join(root, 'dist/cli/reelay.mjs')).href)

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { watchStarter } from './starter.ts'

test('the end of the process that started the server is noticed', async () => {
  const npm = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(npm, 'spawn')
  const noticed = new Promise<boolean>((resolve) => {
    watchStarter([`--until-end-of=${npm.pid}`], () => resolve(npm.signalCode === 'SIGKILL'))
  })
  npm.kill('SIGKILL')
  await once(npm, 'exit')
  expect(await noticed).toBe(true)
})

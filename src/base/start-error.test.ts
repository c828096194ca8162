import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { listenError, StartError } from './start-error.ts'

test('a taken port is one line that names the variable', async () => {
  const first = createServer().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const address = first.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const [error]: unknown[] = await once(createServer().listen(port, '127.0.0.1'), 'error').catch(
    (thrown: unknown) => [thrown],
  )
  first.close()
  expect(listenError(error, { variable: 'PORT', host: '127.0.0.1', port })).toEqual(
    new StartError(`Port ${port} is taken: stop what uses it, or set PORT to another.`),
  )
})

test('an error that no setting can fix is returned unchanged', () => {
  const bug = new TypeError('x is not a function')
  expect(listenError(bug, { variable: 'PORT', host: '127.0.0.1', port: 4400 })).toBe(bug)
})

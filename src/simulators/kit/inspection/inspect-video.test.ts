import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { inspectVideo } from './inspect-video.ts'

const webm = fileURLToPath(new URL('../../../../test/fixtures/vp9.webm', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'reelay-inspected-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('a file that keeps its reader in a circle is no video, and the next one is read', async () => {
  const bytes = readFileSync(webm)
  bytes.fill(0, bytes.indexOf(Buffer.from([0x1f, 0x43, 0xb6, 0x75]))) // from the first cluster on
  const file = path.join(folder, 'zeros.webm')
  writeFileSync(file, bytes)
  const [zeros, whole] = [inspectVideo(file, 1000), inspectVideo(webm)]
  expect(await zeros).toBeNull()
  expect(await whole).toMatchObject({ container: 'webm', codec: 'vp9' })
})

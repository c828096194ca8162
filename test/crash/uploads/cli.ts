import { parseArgs } from 'node:util'
import { startTestDatabases } from '../../support/database/test-database.ts'
import { playUpload } from './play-upload.ts'

/** `npm run crash -- uploads`: one video of 4 GB across 20 kills. @returns the exit code */
export async function runUploads(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      bytes: { type: 'string', default: '4294967296' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
    },
  })
  const stop = await startTestDatabases()
  try {
    const { broken, kills, offsets, seconds } = await playUpload({
      bytes: Number(values.bytes),
      kills: Number(values.kills),
      seed: Number(values.seed),
    })
    console.log(`${values.bytes} bytes across ${kills} kills in ${seconds.toFixed(0)} s`)
    console.log(`resumed at ${offsets.map((offset) => (offset / 1e6).toFixed(0)).join(', ')} MB`)
    for (const law of broken) console.log(`BROKEN: ${law}`)
    if (broken.length === 0) console.log('one video, one file, and the SHA-256 of what was sent')
    return broken.length === 0 ? 0 : 1
  } finally {
    await stop()
  }
}

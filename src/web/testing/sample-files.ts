import { readFileSync } from 'node:fs'
import { BufferSource, BufferTarget, Conversion, Input, MkvOutputFormat, MP4, Output } from 'mediabunny'

// Vitest runs in the project's folder.
const read = (name: string) => new Uint8Array(readFileSync(`test/fixtures/${name}`))

/** A sample video under another name, as a file that somebody chose. */
export const fixtureFile = (fixture: string, name = fixture): File =>
  new File([read(fixture)], name, { type: 'video/mp4' })

/** The streams of the good fixture in Matroska, which no platform takes. */
export async function matroskaFile(): Promise<File> {
  const target = new BufferTarget()
  const input = new Input({ source: new BufferSource(read('good.mp4')), formats: [MP4] })
  const output = new Output({ format: new MkvOutputFormat(), target })
  await (await Conversion.init({ input, output, copy: { shiftTolerance: Infinity } })).execute()
  return new File([target.buffer ?? new ArrayBuffer()], 'tart.mkv', { type: 'video/x-matroska' })
}

import { describe, expect, test } from 'vitest'
import { sortFiles, tooManyVideos } from './chosen-files.ts'

const video = (name: string, bytes = 3) => new File([new Uint8Array(bytes)], name, { type: 'video/mp4' })
const text = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
  new File([content], name, { type: 'text/plain' })
const captionsOf = async (...files: File[]) =>
  (await sortFiles(files)).videos.map(({ file, caption }) => [file.name, caption])

describe('several chosen files', () => {
  test('are in the order of their names, each with the text of its name', async () => {
    const captions = await captionsOf(
      video('Clip 10.mp4'),
      video('clip 2.MOV'),
      text('CLIP 2.txt', '\u{FEFF}Rye,\r\nsliced \n'),
      video('intro.mp4'),
    )
    expect(captions).toEqual([
      ['clip 2.MOV', 'Rye,\nsliced'],
      ['Clip 10.mp4', ''],
      ['intro.mp4', ''],
    ])
  })

  test('that are not used are named', async () => {
    const { videos, notes } = await sortFiles([
      video('a.mp4'),
      video('b.mp4'),
      text('notes.txt', 'Buy flour'),
      text('a.txt', new Uint8Array([0xff, 0xfe, 0x41])),
      text('b.txt', 'x'.repeat(70_000)),
      new File(['%PDF'], 'menu.pdf', { type: 'application/pdf' }),
    ])
    expect(videos.map(({ caption }) => caption)).toEqual(['', ''])
    expect(notes).toEqual([
      'menu.pdf is not a video.',
      'notes.txt has no video of the same name.',
      'a.txt is too long for a caption, or is not UTF-8 text.',
      'b.txt is too long for a caption, or is not UTF-8 text.',
    ])
  })

  test('are planned once, even if one is chosen twice', async () => {
    expect(await captionsOf(video('a.mp4'), video('a.mp4'), video('a.mp4', 4))).toHaveLength(2)
  })

  test('are up to fifty at once', () => {
    expect(tooManyVideos(50)).toBeNull()
    expect(tooManyVideos(51)).toContain('Up to 50 videos can be planned at once')
    expect(tooManyVideos(3, 48)).toContain('these would be 51')
  })
})

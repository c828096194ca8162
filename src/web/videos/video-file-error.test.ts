import { expect, test } from 'vitest'
import { fixtureFile } from '#web/testing/sample-files.ts'
import { videoFileError } from './video-file-error.ts'

test.each(['good.mp4', 'moov-last.mp4', 'vp9.webm'])(
  'half of %s is refused in words before a byte is sent, all of it is not',
  async (name) => {
    const whole = fixtureFile(name)
    expect(await videoFileError(whole)).toBeNull()
    const half = new File([whole.slice(0, whole.size >> 1)], `half ${name}`, { type: 'video/mp4' })
    expect(await videoFileError(half)).toBe(
      'The end of this file is missing. Copy or download it again, then choose the new copy.',
    )
  },
)

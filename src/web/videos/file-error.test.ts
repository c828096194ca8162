import { expect, test } from 'vitest'
import { API } from '#contract/api/api.ts'
import { fileErrorOf } from './file-error.ts'

const video = (size: number) => ({ type: 'video/mp4', size })
const instagram = API.postInstagramMedia.file
const tiktok = API.postTikTokVideo.file

test('Instagram accepts up to 104857599 bytes, just under 100 MB', () => {
  expect(fileErrorOf(video(104_857_599), instagram)).toBeNull()
  expect(fileErrorOf(video(104_857_600), instagram)).toBe('Video file must be less than 100MB')
})

test('TikTok accepts 4 GB, and a larger file is refused before upload', () => {
  expect(fileErrorOf(video(4_294_967_296), tiktok)).toBeNull()
  expect(fileErrorOf(video(4_294_967_297), tiktok)).toBe('Video file must be at most 4 GB')
})

test('a missing file and a file of another type get the specified texts', () => {
  for (const part of [instagram, tiktok]) {
    expect(fileErrorOf(null, part)).toBe('Please select a video file.')
    expect(fileErrorOf({ type: 'text/plain', size: 9 }, part)).toBe('Please select a valid video file')
  }
})

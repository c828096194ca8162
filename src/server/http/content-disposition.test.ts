import { expect, it } from 'vitest'
import { attachment } from './content-disposition.ts'

it.each([
  ['tart.mp4', 'filename="tart.mp4"', "filename*=UTF-8''tart.mp4"],
  ['Crème "1".mp4', 'filename="Creme _1_.mp4"', "filename*=UTF-8''Cr%C3%A8me%20%221%22.mp4"],
  ["a'(b)*\\%.mp4", 'filename="a\'(b)*__.mp4"', "filename*=UTF-8''a%27%28b%29%2A%5C%25.mp4"],
  ['ケーキ🥐.mp4', 'filename="____.mp4"', "filename*=UTF-8''%E3%82%B1%E3%83%BC%E3%82%AD%F0%9F%A5%90.mp4"],
  ['a\r\nb\ud83e.mp4', 'filename="a__b_.mp4"', "filename*=UTF-8''a%0D%0Ab%EF%BF%BD.mp4"],
])('the name %j is encoded for every browser', (filename, ascii, utf8) =>
  expect(attachment(filename)).toBe(`attachment; ${ascii}; ${utf8}`),
)

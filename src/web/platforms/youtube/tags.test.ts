import { expect, test } from 'vitest'
import { joinTags, splitTags, tagsIn } from './tags.ts'

test('tags are separated by commas, may have spaces, and count once', () => {
  expect(tagsIn('# bakery, sour  dough ,#Bakery\nrye,,#')).toEqual(['Bakery', 'sour dough', 'rye'])
})

test('a tag is complete once a comma ends it, and keeps the space that is being typed', () => {
  expect(splitTags('bakery, sour ')).toEqual({ complete: ['bakery'], rest: 'sour ' })
  expect(splitTags('bakery,')).toEqual({ complete: ['bakery'], rest: '' })
  expect(splitTags(joinTags(['bakery', 'rye'], 'sour d'))).toEqual({
    complete: ['bakery', 'rye'],
    rest: 'sour d',
  })
})

import { expect, test } from 'vitest'
import { Video } from '#contract/videos.ts'
import { video } from '#web/testing/data.ts'
import { listTags, sentChanges, typedTag } from './tag-changes.ts'

const tagged = (id: number, ...tags: string[]) => Video.parse(video({ video_id: id, tags }))
const two = [tagged(1, 'tart', 'Recipe'), tagged(2, 'tart')]
const known = [
  { tag: 'coffee', videos: 1 },
  { tag: 'Recipe', videos: 1 },
  { tag: 'tart', videos: 2 },
]

test('each tag is on all, some or none of the videos', () => {
  expect(listTags(known, two, new Map())).toEqual([
    { tag: 'coffee', state: 'none' },
    { tag: 'Recipe', state: 'some' },
    { tag: 'tart', state: 'all' },
  ])
})

test('a change is for all the videos, and a new tag comes last', () => {
  const changes = new Map([
    ['Recipe', true],
    ['tart', false],
    ['new', true],
  ])
  expect(listTags(known, two, changes).map(({ tag, state }) => `${tag}: ${state}`)).toEqual([
    'coffee: none',
    'Recipe: all',
    'tart: none',
    'new: all',
  ])
  expect(sentChanges(changes)).toEqual({ add_tags: ['Recipe', 'new'], remove_tags: ['tart'] })
})

test('tags in upper and lower case are one tag', () => {
  expect(listTags(known, [tagged(1, 'TART')], new Map()).find(({ tag }) => tag === 'tart')?.state).toBe('all')
  expect(typedTag('  COFFEE ', known)).toBe('coffee')
})

test('a typed tag loses needless spaces', () => {
  expect(typedTag(' two   words ', known)).toBe('two words')
  expect(typedTag('  ', known)).toBeNull()
})

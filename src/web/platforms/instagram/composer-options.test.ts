import { expect, test } from 'vitest'
import { fitCover, instagramOptions, type InstagramChoices } from './composer-options.ts'
import { PICTURE_OPTIONS } from '#contract/platforms/index.ts'
import { joinNames, splitNames } from './names.ts'

const context = { options: null, account: null, auditForm: false, video: null, text: '' }
const chosen = (change: Partial<InstagramChoices>): InstagramChoices => ({
  ...instagramOptions.empty,
  ...change,
})
const judged = (change: Partial<InstagramChoices>) => instagramOptions.validate(chosen(change), context)
const summary = (change: Partial<InstagramChoices>) => instagramOptions.summary(chosen(change), context)

test('only what was chosen is sent', () => {
  expect(judged({ audioName: '  ' })).toEqual({
    ok: true,
    info: {
      media_type: 'VIDEO',
      share_to_feed: true,
      collaborators: [],
      user_tags: [],
      is_ai_generated: false,
    },
  })
  expect(judged({ trial: 'SS_PERFORMANCE', audioName: ' Morning ', ai: true })).toMatchObject({
    info: {
      trial_params: { graduation_strategy: 'SS_PERFORMANCE' },
      audio_name: 'Morning',
      is_ai_generated: true,
    },
  })
})

test('people are named with or without @, and each once', () => {
  expect(judged({ collaborators: '@maria.bakes, sam', tags: 'Ana ana' })).toMatchObject({
    info: { collaborators: ['maria.bakes', 'sam'], user_tags: ['ana'] },
  })
})

const people = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`).join(' ')

test('up to 3 collaborators and 20 tagged people are taken, each by username', () => {
  expect(judged({ collaborators: people(3), tags: people(20) })).toMatchObject({ ok: true })
  expect(judged({ collaborators: people(4), tags: people(21) })).toEqual({
    ok: false,
    errors: { collaborators: 'Enter up to 3 names.', user_tags: 'Enter up to 20 names.' },
  })
  expect(judged({ collaborators: 'maria bakes!' })).toEqual({
    ok: false,
    errors: { collaborators: 'Enter a username without @, such as maria.bakes.' },
  })
})

test('an own picture is stored, sent and chosen again by its id', () => {
  const value = instagramOptions.picture?.with(instagramOptions.empty, 7)
  expect(value).toMatchObject({ [String(PICTURE_OPTIONS.instagram)]: 7 })
  expect(judged({ cover_picture_id: 7, coverMs: 500 })).toMatchObject({ info: { cover_picture_id: 7 } })
  expect(summary({ cover_picture_id: 7 })).toBe('Reel and feed, cover picture')
  const again = instagramOptions.fromOptions({ cover_picture_id: 7 })
  expect(instagramOptions.picture?.of(again)).toBe(7)
})

test('an audio name has up to 100 characters', () => {
  expect(judged({ audioName: 'x'.repeat(100) })).toMatchObject({ ok: true })
  expect(judged({ audioName: 'x'.repeat(101) })).toEqual({
    ok: false,
    errors: { audio_name: 'Use at most 100 characters.' },
  })
})

test('the options are summarised in a few words', () => {
  expect(summary({})).toBe('Reel and feed')
  expect(summary({ shareToFeed: false })).toBe('Reel only')
  expect(summary({ collaborators: 'maria.bakes ' })).toBe('Reel and feed, 1 collaborator')
  expect(summary({ trial: 'MANUAL', collaborators: 'a b', tags: 'c', ai: true })).toBe(
    'Trial reel, 2 collaborators, 1 tagged, AI-generated',
  )
})

test('the options of an earlier post are chosen again, and unreadable ones are not', () => {
  const sent = {
    media_type: 'VIDEO',
    share_to_feed: false,
    thumb_offset: 700,
    collaborators: ['maria.bakes', 'sam'],
    user_tags: ['ana'],
    audio_name: 'Morning',
    trial_params: { graduation_strategy: 'MANUAL' },
    is_ai_generated: true,
    first_comment: '#baking #tarts',
  }
  expect(instagramOptions.validate(instagramOptions.fromOptions(sent), context)).toEqual({
    ok: true,
    info: sent,
  })
  expect(instagramOptions.fromOptions('nothing')).toEqual(instagramOptions.empty)
})

test('a name is complete once something separates it from the next', () => {
  expect(splitNames('@maria, sa')).toEqual({ complete: ['maria'], rest: 'sa' })
  expect(splitNames('maria ')).toEqual({ complete: ['maria'], rest: '' })
  expect(splitNames('')).toEqual({ complete: [], rest: '' })
  expect(splitNames(joinNames(['a', 'b'], 'c'))).toEqual({ complete: ['a', 'b'], rest: 'c' })
})

test('comments that are turned off are sent and summed up, and not together with a first comment', () => {
  expect(judged({ commentsOff: true })).toMatchObject({ ok: true, info: { comment_enabled: false } })
  expect(summary({ commentsOff: true })).toContain('comments off')
  expect(judged({ commentsOff: true, firstComment: 'First!' })).toEqual({
    ok: false,
    errors: {
      comment_enabled:
        'Nobody sees a first comment while comments are off. Leave it out, or leave comments on.',
    },
  })
  expect(instagramOptions.fromOptions({ comment_enabled: false }).commentsOff).toBe(true)
})

test('a cover of another shape than 9:16 is cropped', () => {
  expect(fitCover({ width: 1080, height: 1920 })).toBeNull()
  expect(fitCover({ width: 1000, height: 1000 })).toBe('It will be cropped to 9:16.')
})

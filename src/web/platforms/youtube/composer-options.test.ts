import { expect, test } from 'vitest'
import { Account } from '#contract/accounts.ts'
import { PICTURE_OPTIONS } from '#contract/platforms/index.ts'
import { account } from '#web/testing/data.ts'
import { fitThumbnail, youtubeOptions, type YouTubeChoices } from './composer-options.ts'

const context = {
  options: null,
  account: null,
  auditForm: false,
  video: null,
  text: 'Lemon tart\nStill warm',
}
const chosen = (change: Partial<YouTubeChoices>): YouTubeChoices => ({
  ...youtubeOptions.empty,
  privacy: 'public',
  madeForKids: false,
  ...change,
})
const judged = (change: Partial<YouTubeChoices>) => youtubeOptions.validate(chosen(change), context)

test('visibility and made for kids are asked, and nothing is preselected', () => {
  expect(youtubeOptions.validate(youtubeOptions.empty, context)).toEqual({
    ok: false,
    errors: {
      privacy: 'Choose who can see this video.',
      made_for_kids: 'Say whether this video is made for kids.',
    },
  })
})

test("the title is the caption's first line unless one was typed", () => {
  expect(judged({})).toEqual({
    ok: true,
    info: {
      title: 'Lemon tart',
      privacy: 'public',
      made_for_kids: false,
      synthetic_media: false,
      tags: [],
      notify_subscribers: true,
      license: 'youtube',
      embeddable: true,
      public_stats: true,
    },
  })
  expect(judged({ title: ' Baking day ' })).toMatchObject({ info: { title: 'Baking day' } })
  expect(youtubeOptions.shownText?.(chosen({}), context)).toBe('Lemon tart')
  expect(youtubeOptions.shownText?.(chosen({ title: 'Baking day' }), context)).toBe('Baking day')
})

test.each([
  ['', 'Enter a title.'],
  ['x'.repeat(101), 'Use at most 100 characters.'],
  ['1 < 2', "YouTube doesn't allow < or > in a title."],
])('the title %j is refused', (title, message) => {
  expect(judged({ title })).toEqual({ ok: false, errors: { title: message } })
})

test('without a caption a title is asked for', () => {
  expect(youtubeOptions.validate(chosen({}), { ...context, text: ' \n' })).toEqual({
    ok: false,
    errors: { title: 'Enter a title.' },
  })
})

/** Nine tags of 49 characters, and this one. */
const tenTags = (last: string) =>
  [...Array.from({ length: 9 }, (_, at) => `${at}`.repeat(49)), last].join(',')

test('tags have up to 500 characters with their commas, and two more for each with a space', () => {
  expect(judged({ tags: tenTags('x'.repeat(50)) })).toMatchObject({ ok: true })
  expect(judged({ tags: tenTags('x'.repeat(51)) })).toMatchObject({
    ok: false,
    errors: { tags: /^The tags are/ },
  })
  expect(judged({ tags: tenTags(`${'x'.repeat(23)} ${'x'.repeat(24)}`) })).toMatchObject({ ok: true })
  expect(judged({ tags: tenTags(`${'x'.repeat(24)} ${'x'.repeat(24)}`) })).toMatchObject({ ok: false })
  expect(judged({ tags: 'a "quoted" one' })).toMatchObject({ ok: false, errors: { tags: /quotation mark/ } })
})

test('a first comment needs the permission, and a video that has comments', () => {
  const owner = Account.parse(
    account({ platform: 'youtube', permissions: [{ name: 'comments', granted: false }] }),
  )
  expect(judged({ firstComment: ' First ' })).toMatchObject({ info: { first_comment: 'First' } })
  expect(judged({ firstComment: 'First', madeForKids: true })).toMatchObject({
    errors: { first_comment: /made for kids/ },
  })
  expect(judged({ firstComment: 'First', privacy: 'private' })).toMatchObject({
    errors: { first_comment: /Private videos have no comments/ },
  })
  const withheld = { ...context, account: owner }
  expect(youtubeOptions.validate(chosen({ firstComment: 'First' }), withheld)).toMatchObject({
    errors: { first_comment: 'Allow comments, or leave out the first comment.' },
  })
  expect(youtubeOptions.validate(chosen({}), withheld)).toMatchObject({ ok: true })
})

test('a thumbnail is stored, sent and chosen again by its id', () => {
  const value = youtubeOptions.picture?.with(chosen({}), 7) ?? expect.unreachable()
  expect(value).toMatchObject({ [String(PICTURE_OPTIONS.youtube)]: 7 })
  expect(youtubeOptions.validate(value, context)).toMatchObject({ info: { thumbnail_picture_id: 7 } })
})

test('a thumbnail of another shape than 16:9 or 9:16 is fitted', () => {
  expect([fitThumbnail({ width: 1280, height: 720 }), fitThumbnail({ width: 1080, height: 1920 })]).toEqual([
    null,
    null,
  ])
  expect(fitThumbnail({ width: 1000, height: 1000 })).toBe(
    'YouTube will fit it to 16:9, or to 9:16 for a Short.',
  )
})

test('the options are summarised in a few words', () => {
  const summary = (change: Partial<YouTubeChoices>) => youtubeOptions.summary(chosen(change), context)
  expect(youtubeOptions.summary(youtubeOptions.empty, context)).toBe('')
  expect(summary({})).toBe('Public')
  expect(
    summary({
      privacy: 'unlisted',
      madeForKids: true,
      synthetic: true,
      tags: 'rye',
      thumbnail_picture_id: 1,
    }),
  ).toBe('Unlisted, made for kids, altered content, 1 tag, thumbnail')
})

test('the options of an earlier post are chosen again, and unreadable ones are not', () => {
  const sent = {
    title: 'Baking day',
    privacy: 'unlisted',
    made_for_kids: false,
    synthetic_media: true,
    tags: ['bakery', 'sour dough'],
    category_id: '26',
    notify_subscribers: false,
    license: 'creativeCommon',
    embeddable: false,
    public_stats: false,
    thumbnail_picture_id: 3,
    first_comment: 'The recipe',
  }
  expect(youtubeOptions.validate(youtubeOptions.fromOptions(sent), context)).toEqual({ ok: true, info: sent })
  const { title: _, ...proposed } = sent
  expect(youtubeOptions.fromOptions(proposed)).toMatchObject({ title: null, privacy: 'unlisted' })
  expect(youtubeOptions.fromOptions('nothing')).toEqual(youtubeOptions.empty)
})

test('what belongs to one client is known as such', () => {
  expect(youtubeOptions.isPersonal?.(chosen({ title: 'Baking day' }))).toBe(false)
  expect(youtubeOptions.isPersonal?.(chosen({ tags: 'bakery' }))).toBe(true)
  expect(youtubeOptions.isPersonal?.(chosen({ firstComment: 'The recipe' }))).toBe(true)
})

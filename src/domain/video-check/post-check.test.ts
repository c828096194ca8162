import { describe, expect, it } from 'vitest'
import { PLATFORM_IDS, type PlatformId } from '#contract/platforms/index.ts'
import { VideoFacts } from '#contract/videos.ts'
import { GOOD_FACTS } from '../testing/good-facts.ts'
import { type AccountLimits, checkText, checkVideo, isRefused, keepHashtags } from './post-check.ts'

const MB = 1_000_000

type Row = {
  what: string
  facts?: Partial<VideoFacts>
  size?: number
  account?: AccountLimits
  tiktok: string[]
  instagram: string[]
  youtube: string[]
}

const ROWS: Row[] = [
  { what: 'a valid video', tiktok: [], instagram: [], youtube: [] },
  {
    what: 'no sound',
    facts: { audio_codec: null, audio_rate_hz: null },
    tiktok: [],
    instagram: [],
    youtube: [],
  },
  {
    what: 'a file that is no video',
    facts: { container: 'unknown', video_codec: null, width: null, height: null, fps: null, duration_s: 0 },
    tiktok: ['error unreadable'],
    instagram: ['error unreadable'],
    youtube: ['error unreadable'],
  },
  {
    what: 'sound without a picture',
    facts: { video_codec: null, width: null, height: null, fps: null },
    tiktok: ['error no_picture'],
    instagram: ['error no_picture'],
    youtube: ['error no_picture'],
  },
  { what: 'exactly 4 GB', size: 4_294_967_296, tiktok: [], instagram: ['error too_large'], youtube: [] },
  {
    what: 'a byte over 4 GB',
    size: 4_294_967_297,
    tiktok: ['error too_large'],
    instagram: ['error too_large'],
    youtube: [],
  },
  { what: 'exactly 300 MB', size: 300 * MB, tiktok: [], instagram: [], youtube: [] },
  {
    what: 'WebM with VP9 and Opus',
    facts: { container: 'webm', video_codec: 'vp9', audio_codec: 'opus', index_first: null },
    tiktok: [],
    instagram: ['error container', 'error video_codec', 'error audio_codec'],
    youtube: [],
  },
  {
    what: 'Matroska',
    facts: { container: 'mkv', index_first: null },
    tiktok: ['error container'],
    instagram: ['error container'],
    youtube: [],
  },
  {
    what: 'AV1',
    facts: { video_codec: 'av1' },
    tiktok: ['error video_codec'],
    instagram: ['error video_codec'],
    youtube: [],
  },
  {
    what: 'an unknown codec',
    facts: { video_codec: null },
    tiktok: ['error video_codec'],
    instagram: ['error video_codec'],
    youtube: ['error video_codec'],
  },
  { what: '3 seconds', facts: { duration_s: 3 }, tiktok: [], instagram: [], youtube: [] },
  {
    what: '2.9 seconds',
    facts: { duration_s: 2.9 },
    tiktok: [],
    instagram: ['error too_short'],
    youtube: [],
  },
  {
    what: 'half a second',
    facts: { duration_s: 0.5 },
    tiktok: ['error too_short'],
    instagram: ['error too_short'],
    youtube: ['error too_short'],
  },
  {
    what: '15 minutes',
    facts: { duration_s: 900 },
    tiktok: [],
    instagram: [],
    youtube: ['warning not_short'],
  },
  {
    what: '20 minutes',
    facts: { duration_s: 1200 },
    tiktok: [],
    instagram: ['error too_long'],
    youtube: ['warning not_short'],
  },
  {
    what: '5 minutes where the account is limited to 3',
    facts: { duration_s: 300 },
    account: { maxDurationS: 180 },
    tiktok: ['error too_long'],
    instagram: ['error too_long'],
    youtube: ['error too_long', 'warning not_short'],
  },
  {
    what: '320 x 568',
    facts: { width: 320, height: 568 },
    tiktok: ['error too_small'],
    instagram: [],
    youtube: [],
  },
  {
    what: 'a 4K phone recording without fast start',
    facts: { width: 2160, height: 3840, video_codec: 'hevc', container: 'mov', index_first: false },
    tiktok: [],
    instagram: ['error too_wide', 'warning index_last'],
    youtube: [],
  },
  {
    what: '8K',
    facts: { width: 4320, height: 7680 },
    tiktok: ['error too_wide'],
    instagram: ['error too_wide'],
    youtube: [],
  },
  {
    what: 'an impossible height',
    facts: { width: 1080, height: 11_000 },
    tiktok: ['error too_high'],
    instagram: ['error too_high'],
    youtube: ['error too_high'],
  },
  {
    what: 'landscape',
    facts: { width: 1920, height: 1080 },
    tiktok: ['warning landscape'],
    instagram: ['warning landscape'],
    youtube: ['warning not_short'],
  },
  { what: '23.976 frames a second', facts: { fps: 23.976 }, tiktok: [], instagram: [], youtube: [] },
  { what: '60.3 frames a second', facts: { fps: 60.3 }, tiktok: [], instagram: [], youtube: [] },
  {
    what: '120 frames a second',
    facts: { fps: 120 },
    tiktok: ['error frame_rate'],
    instagram: ['error frame_rate'],
    youtube: [],
  },
  {
    what: '15 frames a second',
    facts: { fps: 15 },
    tiktok: ['error frame_rate'],
    instagram: ['error frame_rate'],
    youtube: [],
  },
  {
    what: 'sound of 96 kHz',
    facts: { audio_rate_hz: 96_000 },
    tiktok: ['warning audio_rate'],
    instagram: ['warning audio_rate'],
    youtube: ['warning audio_rate'],
  },
  {
    what: 'a file whose end is missing',
    facts: { integrity: 'cut_off' },
    tiktok: ['error cut_off'],
    instagram: ['error cut_off'],
    youtube: ['error cut_off'],
  },
  {
    what: 'half a file whose index was at its end',
    facts: { container: 'unknown', integrity: 'cut_off' },
    tiktok: ['error cut_off'],
    instagram: ['error cut_off'],
    youtube: ['error cut_off'],
  },
  {
    what: 'a file with holes',
    facts: { integrity: 'damaged' },
    tiktok: ['error damaged'],
    instagram: ['error damaged'],
    youtube: ['error damaged'],
  },
  {
    what: 'about 15 frames a second',
    facts: { fps: 15, fps_is_estimate: true },
    tiktok: ['warning frame_rate_estimate'],
    instagram: ['warning frame_rate_estimate'],
    youtube: [],
  },
  { what: '25 Mbit a second', facts: { video_bit_rate: 25_000_000 }, tiktok: [], instagram: [], youtube: [] },
  {
    what: 'a bit more than 25 Mbit a second',
    facts: { video_bit_rate: 25_000_001 },
    tiktok: [],
    instagram: ['warning video_bit_rate'],
    youtube: [],
  },
  {
    what: 'sound of 140 kbit a second',
    facts: { audio_bit_rate: 140_000 },
    tiktok: [],
    instagram: [],
    youtube: [],
  },
  {
    what: 'sound of 320 kbit a second',
    facts: { audio_bit_rate: 320_000 },
    tiktok: [],
    instagram: ['warning audio_bit_rate'],
    youtube: [],
  },
  {
    what: '5.1 sound',
    facts: { audio_channels: 6 },
    tiktok: [],
    instagram: ['warning audio_channels'],
    youtube: [],
  },
  { what: '4:2:2', facts: { chroma: '4:2:2' }, tiktok: [], instagram: ['warning chroma'], youtube: [] },
  {
    what: 'interlaced video',
    facts: { scan: 'interlaced' },
    tiktok: [],
    instagram: ['warning interlaced'],
    youtube: [],
  },
  {
    what: 'an edit list',
    facts: { has_edits: true },
    tiktok: [],
    instagram: ['warning edit_list'],
    youtube: [],
  },
  {
    what: 'what nobody could measure',
    facts: {
      integrity: null,
      fps: null,
      video_bit_rate: null,
      chroma: null,
      scan: null,
      has_edits: null,
      audio_channels: null,
    },
    size: 200 * MB,
    tiktok: ['warning unmeasured'],
    instagram: ['warning unmeasured'],
    youtube: ['warning unmeasured'],
  },
  {
    what: 'an unknown bit rate of a file that is small enough',
    facts: { video_bit_rate: null },
    tiktok: [],
    instagram: [],
    youtube: [],
  },
  {
    what: 'uncompressed sound',
    facts: { container: 'mov', audio_codec: 'pcm' },
    tiktok: [],
    instagram: ['error audio_codec'],
    youtube: [],
  },
]

const found = (row: Row, platform: PlatformId) =>
  checkVideo({ ...GOOD_FACTS, ...row.facts }, row.size ?? 20 * MB, platform, row.account)

describe('what a platform takes', () => {
  for (const row of ROWS) {
    for (const platform of PLATFORM_IDS) {
      it(`${platform}: ${row.what} ${row[platform].length === 0 ? 'is taken' : `gives ${row[platform].join(', ')}`}`, () => {
        expect(found(row, platform).map(({ level, code }) => `${level} ${code}`)).toEqual(row[platform])
      })
    }
  }
})

it('what facts of an earlier version lack counts as not measured', () => {
  const { container, video_codec, audio_codec, audio_rate_hz, duration_s, width, height, rotation } =
    GOOD_FACTS
  const stored = { container, video_codec, audio_codec, audio_rate_hz, duration_s, width, height, rotation }
  // The rate of its first frames.
  const facts = VideoFacts.parse({ ...stored, fps: 15.15, index_first: true })
  expect(checkVideo(facts, 20 * MB, 'instagram').map(({ level, code }) => `${level} ${code}`)).toEqual([
    'warning frame_rate_estimate',
    'warning unmeasured',
  ])
})

it('an error refuses a post, a warning does not', () => {
  expect(isRefused(checkVideo({ ...GOOD_FACTS, width: 1920, height: 1080 }, MB, 'tiktok'))).toBe(false)
  expect(isRefused(checkVideo({ ...GOOD_FACTS, fps: 5 }, MB, 'tiktok'))).toBe(true)
})

it('messages name the figures of the video and of the limit', () => {
  expect(say({ size: 412_300_000 }, 'instagram')).toEqual([
    'The file is 412.3 MB; Instagram accepts up to 300 MB.',
  ])
  expect(say({ size: 5_000_000_000 }, 'tiktok')).toEqual(['The file is 4.66 GB; TikTok accepts up to 4 GB.'])
  expect(say({ facts: { container: 'mkv', index_first: null } }, 'tiktok')).toEqual([
    "The file's format is MKV; TikTok accepts MP4, MOV or WebM.",
  ])
  expect(say({ facts: { duration_s: 1 } }, 'instagram')).toEqual([
    'The video is 1 second long; Instagram accepts 3 seconds or more.',
  ])
  expect(say({ facts: { duration_s: 961.4 } }, 'instagram')).toEqual([
    'The video is 16 minutes 1 second long; Instagram accepts up to 15 minutes.',
  ])
  expect(say({ facts: { duration_s: 200 }, account: { maxDurationS: 180 } }, 'tiktok')).toEqual([
    'The video is 3 minutes 20 seconds long; TikTok lets this account post videos that last up to 3 minutes.',
  ])
  expect(say({ facts: { video_bit_rate: 60_240_000, audio_channels: 6 } }, 'instagram')).toEqual([
    'The video has 60.24 Mbit per second; Instagram accepts up to 25 Mbit.',
    'The sound has 6 channels; Instagram accepts 1 to 2.',
  ])
  expect(say({ facts: { integrity: null, chroma: null } }, 'instagram')).toEqual([
    'Reelay could not measure whether the file is complete, the chroma subsampling. Instagram may refuse the video because of it.',
  ])
})

const say = (row: Partial<Row>, platform: PlatformId) =>
  found({ what: '', tiktok: [], instagram: [], youtube: [], ...row }, platform).map(({ message }) => message)

const hashtags = (count: number) => Array.from({ length: count }, (_, i) => `#tart${i}`).join(' ')
const mentions = (count: number) => Array.from({ length: count }, (_, i) => `@baker_${i}`).join(' ')

describe('the text of a post', () => {
  it('has up to 2200 UTF-16 units on TikTok and Instagram', () => {
    for (const platform of ['tiktok', 'instagram'] as const) {
      expect(checkText('x'.repeat(2200), platform)).toEqual([])
      expect(checkText('🥧'.repeat(1101), platform)).toEqual(['Use at most 2200 characters.'])
    }
  })

  it('has up to 5000 bytes of UTF-8 and no angle brackets on YouTube', () => {
    expect(checkText('x'.repeat(5000), 'youtube')).toEqual([])
    expect(checkText('é'.repeat(2500), 'youtube')).toEqual([])
    expect(checkText('🥧'.repeat(1250), 'youtube')).toEqual([])
    expect(checkText(`${'€'.repeat(1666)}abc`, 'youtube')).toEqual([
      'Use at most 5000 bytes; this text has 5001. Accented letters and emoji take more than one.',
    ])
    expect(checkText('1 < 2', 'youtube')).toEqual(["YouTube doesn't allow < or > in this text."])
  })

  it('keeps its first hashtags when some are too many, and everything else', () => {
    const text = 'Tart #a#b at example.com/x#y, C# and #c #d!\nEnd #e'
    expect(keepHashtags(text, 3)).toBe('Tart #a#b at example.com/x#y, C# and #c!\nEnd')
    expect(keepHashtags(text, 1)).toBe('Tart #a at example.com/x#y, C# and!\nEnd')
    expect(keepHashtags(text, 5)).toBe(text)
  })

  it('has up to 30 hashtags and 20 mentions on Instagram, and any number on TikTok', () => {
    expect(checkText(`${hashtags(30)} ${mentions(20)}`, 'instagram')).toEqual([])
    expect(checkText(`${hashtags(35)} ${mentions(25)}`, 'instagram')).toEqual([
      'Instagram allows up to 30 hashtags; this caption has 35.',
      'Instagram allows up to 20 mentions; this caption has 25.',
    ])
    expect(checkText(`${hashtags(35)} ${mentions(25)}`, 'tiktok')).toEqual([])
  })

  it.each([
    ['one of letters of any script', '#торт #ケーキ #pâtisserie #حلويات', 4],
    ['one of digits or of emoji', '#2026 #🥧', 2],
    ['one in full width', '＃ケーキ', 1],
    ['each of a run without spaces', '#tart#pie#cake', 3],
    ['the same one each time', '#tart #tart', 2],
    ['one in brackets or after a line break', '(#tart)\n#pie, "#cake"', 3],
    ['no lone sign', '# #! 1 # 2', 0],
    ['no sign within a word', 'C# and 1#2', 0],
    ['no keycap emoji and no character reference', '#️⃣ &#39;', 0],
    ['no fragment of a web address', 'https://example.com/menu#tart example.com/menu/#pie', 0],
  ])('counts as hashtags: %s', (_, text, count) => {
    expect(checkText(`${hashtags(31 - count)} ${text}`, 'instagram')).toHaveLength(1)
    expect(checkText(`${hashtags(30 - count)} ${text}`, 'instagram')).toEqual([])
  })

  it.each([
    ['names with dots and underscores', '@anna.b @_ben', 2],
    ['one in brackets, after a comma or a slash', '(@anna),@ben/@carl', 3],
    ['no email address', 'orders@example.com and a.b+c@example.com', 0],
    ['no lone sign', '2 @ 3 and @ noon', 0],
    ['no part of a web address', 'https://www.tiktok.com/@anna tiktok.com/@ben', 0],
    ['one where an address with a host name follows', '@anna@example.social', 1],
  ])('counts as mentions: %s', (_, text, count) => {
    expect(checkText(`${mentions(21 - count)} ${text}`, 'instagram')).toHaveLength(1)
    expect(checkText(`${mentions(20 - count)} ${text}`, 'instagram')).toEqual([])
  })
})

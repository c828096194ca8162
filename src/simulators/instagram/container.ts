import { asObject, parseJson } from '../kit/json.ts'
import type { Answer } from '../kit/http/serve.ts'
import { graphError, invalidParameter } from './graph/answers.ts'
import type { Container, ContainerOptions } from './state/state.ts'

export type ContainerInput = Pick<Container, 'media_type' | 'video_url' | 'options'>

/** The parameters of a container as IG User Media documents them; assumed refusals and codes are marked. */
export function readContainer(parameters: URLSearchParams): ContainerInput | Answer {
  const mediaType = parameters.get('media_type')
  if (mediaType !== 'REELS' && mediaType !== 'VIDEO') {
    return graphError({
      code: 100,
      subcode: 2207023,
      message: 'Invalid parameter',
      userTitle: 'Unknown media type',
      userMessage: `The media type ${mediaType ?? ''} is unknown.`,
    })
  }
  const videoUrl = parameters.get('video_url')
  // `upload_type=resumable` is ignored with Instagram Login.
  if (videoUrl === null || videoUrl === '') return invalidParameter('The parameter video_url is required')
  if (!isAsciiUrl(videoUrl))
    return invalidParameter('Invalid parameter: video_url must be a URL of US-ASCII characters')
  const coverUrl = parameters.get('cover_url')
  if (coverUrl !== null && !isAsciiUrl(coverUrl))
    return invalidParameter('Invalid parameter: cover_url must be a URL of US-ASCII characters')
  const options = readOptions(parameters)
  return 'status' in options ? options : { media_type: mediaType, video_url: videoUrl, options }
}

function isAsciiUrl(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range is the point: printable ASCII only
  if (!/^[\u0021-\u007e]+$/.test(text)) return false
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}

function readOptions(parameters: URLSearchParams): ContainerOptions | Answer {
  const caption = parameters.get('caption') ?? ''
  if (caption.length > 2200) {
    return graphError({
      code: 36004,
      subcode: 2207010,
      message: 'The caption was too long.',
      userTitle: 'Caption too long',
      userMessage: 'The caption was too long. A caption may have 2200 characters.',
    })
  }
  if ((caption.match(/@[\w.]+/g) ?? []).length > 20) {
    return graphError({
      code: 100,
      subcode: 2207040,
      message: 'Invalid parameter',
      userTitle: 'Too many tags',
    })
  }
  // "≤ 30 hashtags"; the code of this refusal is not documented.
  if ((caption.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 30) return invalidParameter('Too many hashtags')
  const shareToFeed = readBoolean(parameters, 'share_to_feed', true)
  const aiGenerated = readBoolean(parameters, 'is_ai_generated', false)
  if (shareToFeed === null || aiGenerated === null)
    return invalidParameter('Invalid parameter: not a boolean')
  const offset = parameters.get('thumb_offset') ?? '0'
  // "int ms"; the code of this refusal is our assumption. The end of the video is checked after the download.
  if (!/^-?\d+$/.test(offset)) return invalidParameter('Invalid parameter: thumb_offset')
  const thumbOffset = Number(offset)
  if (thumbOffset < 0) {
    return graphError({
      code: 1,
      subcode: 2207057,
      message: 'Thumbnail offset must be greater than or equal to 0 and less than video duration.',
    })
  }
  const people = readPeople(parameters)
  if ('status' in people) return people
  const graduation = readGraduation(parameters.get('trial_params'))
  if (graduation === undefined) return invalidParameter('Invalid parameter: trial_params')
  return {
    caption,
    share_to_feed: shareToFeed,
    thumb_offset: thumbOffset,
    cover_url: parameters.get('cover_url'),
    is_ai_generated: aiGenerated,
    ...people,
    audio_name: parameters.get('audio_name'),
    graduation,
  }
}

/** "Up to 3" collaborators; x and y of a tag are "only for images and stories". The codes of these refusals are our assumption. */
function readPeople(
  parameters: URLSearchParams,
): Pick<ContainerOptions, 'collaborators' | 'user_tags'> | Answer {
  const collaborators = parseList(parameters.get('collaborators'))
  if (!areUsernames(collaborators) || collaborators.length > 3)
    return invalidParameter('Invalid parameter: collaborators')
  const tags = parseList(parameters.get('user_tags'))?.map((tag) => {
    const { username, ...others } = asObject(tag) ?? {}
    return Object.keys(others).length === 0 ? username : null
  })
  if (!areUsernames(tags)) return invalidParameter('Invalid parameter: user_tags')
  return { collaborators, user_tags: tags }
}

function parseList(text: string | null): unknown[] | undefined {
  const value = text === null ? [] : parseJson(text)
  return Array.isArray(value) ? value : undefined
}

const areUsernames = (names: unknown[] | undefined): names is string[] =>
  names?.every((name) => typeof name === 'string' && /^[A-Za-z0-9._]{1,30}$/.test(name)) === true

/** `null`: not a trial reel; `undefined`: an unknown strategy. */
function readGraduation(text: string | null): string | null | undefined {
  if (text === null) return null
  const strategy = asObject(parseJson(text))?.graduation_strategy
  return ['MANUAL', 'SS_PERFORMANCE'].find((known) => known === strategy)
}

function readBoolean(parameters: URLSearchParams, name: string, absent: boolean): boolean | null {
  const value = parameters.get(name)
  if (value === null) return absent
  if (['true', '1'].includes(value)) return true
  return ['false', '0'].includes(value) ? false : null
}

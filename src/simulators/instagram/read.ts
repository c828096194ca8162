import type { FastifyRequest } from 'fastify'
import type { Answer, Call } from '../kit/http/serve.ts'
import { commentFields } from './comments.ts'
import { authenticate, invalidParameter, json, missingObject, readParameters } from './graph/answers.ts'
import { isAnswer, pick } from './graph/fields.ts'
import { isOwn, pathId, containerState, type ContainerState } from './publish.ts'
import {
  appScopedId,
  basicScope,
  commentScope,
  findShown,
  listComments,
  isAccountId,
  userId,
  type Container,
  type Creator,
  type Instagram,
  type Post,
} from './state/state.ts'

export async function me(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, basicScope)
  if ('status' in caller) return caller
  if (!isOwn(caller.creator, pathId(call.request) || 'me')) return missingObject(pathId(call.request))
  const profile = toProfile(instagram, caller.creator, call.origin)
  const answer = pick(profile, parameters, ['id'])
  if (isAnswer(answer)) return answer
  return json(200, instagram.settings.get().instagram_me_shape === 'flat' ? answer : { data: [answer] })
}

/** Spelled as in Get Started. */
const documentedTypes = {
  BUSINESS: 'Business',
  MEDIA_CREATOR: 'Media_Creator',
  PERSONAL: 'Personal',
} as const

const toProfile = (instagram: Instagram, creator: Creator, origin: string): Record<string, unknown> => ({
  id: appScopedId(creator.username),
  user_id: userId(creator.username),
  username: creator.username,
  name: creator.name,
  account_type:
    instagram.settings.get().instagram_account_type_case === 'upper'
      ? creator.account_type
      : documentedTypes[creator.account_type],
  profile_picture_url: `${origin}/avatars/${encodeURIComponent(creator.username)}.svg`,
  followers_count: 0,
  follows_count: 0,
  biography: '',
  website: undefined,
  // Older clients read it; it repeats `user_id`.
  ig_id: userId(creator.username),
  legacy_instagram_user_id: undefined,
  media_count: instagram.posts.all().filter((post) => post.username === creator.username).length,
})

/** One address serves four calls; the id tells which one. */
export const objectCallName =
  (instagram: Instagram) =>
  (request: FastifyRequest): string => {
    const id = pathId(request)
    if (instagram.posts.get(id) !== undefined) return 'media'
    if (instagram.comments.get(id) !== undefined) return 'comment_read'
    return isAccountId(id) ? 'me' : 'container'
  }

export async function object(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, basicScope)
  if ('status' in caller) return caller
  const id = pathId(call.request)
  const { creator } = caller
  if (isOwn(creator, id)) return me(instagram, call)
  // On some days Meta answered reads of new objects like this.
  if (call.fault?.fault === 'not_found') return missingObject(id)
  const post = findShown(instagram, id)
  if (post !== undefined && post.username === creator.username) {
    return asAnswer(pick(toMedia(instagram, post, call.origin), parameters, ['id']))
  }
  const found = instagram.comments.get(id)
  if (found !== undefined && instagram.posts.get(found.media_id)?.username === creator.username) {
    const allowed = authenticate(instagram, call.request, parameters, commentScope)
    return 'status' in allowed ? allowed : asAnswer(pick(commentFields(found), parameters, ['id']))
  }
  const container = instagram.containers.get(id)
  if (container === undefined || container.username !== creator.username) return missingObject(id)
  const isStuck = call.fault?.fault === 'stuck_processing'
  const state = isStuck ? 'IN_PROGRESS' : containerState(instagram, container)
  return asAnswer(pick(toContainer(container, state), parameters, ['id']))
}

const asAnswer = (picked: Record<string, unknown> | Answer): Answer =>
  isAnswer(picked) ? picked : json(200, picked)

const toContainer = (container: Container, state: ContainerState): Record<string, unknown> => ({
  id: container.id,
  status_code: state,
  status: describeState(container, state),
  copyright_check_status: { status: 'completed', matches_found: false },
})

function describeState(container: Container, state: ContainerState): string {
  switch (state) {
    case 'IN_PROGRESS':
      return 'In Progress: Media is still being processed.'
    case 'FINISHED':
      return 'Finished: Media has been uploaded and it is ready to be published.'
    case 'PUBLISHED':
      return 'Published: Media has been published.'
    case 'EXPIRED':
      return 'Expired: Media was not published within 24 hours.'
    case 'ERROR':
      return `Error: Media upload has failed with error code ${errorSubcode(container)}`
  }
}

const errorSubcode = ({ fetched }: Container): number =>
  fetched.state === 'refused' ? fetched.subcode : 2207053

/** Told without the permission for insights, and at once. */
function engagement(instagram: Instagram, post: Post): Record<string, unknown> {
  const { views, likes, comments } = instagram.audience.count('instagram', post)
  const total = (comments ?? 0) + listComments(instagram, post.id).length
  return {
    comments_count: total,
    like_count: likes ?? undefined,
    view_count: views ?? undefined,
    reposts_count: 0,
    saved_count: 0,
    shares_count: 0,
    total_comments_count: total,
    total_like_count: likes ?? undefined,
    total_view_count: views ?? undefined,
  }
}

const toMedia = (instagram: Instagram, post: Post, origin: string): Record<string, unknown> => ({
  id: post.id,
  permalink: `${origin}/instagram/reel/${post.shortcode}/`,
  shortcode: post.shortcode,
  timestamp: new Date(post.created_at).toISOString().replace(/\.\d{3}Z$/, '+0000'),
  media_type: 'VIDEO',
  media_product_type: 'REELS',
  is_shared_to_feed: post.options.share_to_feed,
  username: post.username,
  owner: { id: userId(post.username) },
  ...engagement(instagram, post),
  is_comment_enabled: post.comments_off !== true,
  thumbnail_url: `${origin}/avatars/${encodeURIComponent(post.username)}.svg`,
  // Documented, but missing in answers about a reel.
  alt_text: undefined,
  children: undefined,
  legacy_instagram_media_id: undefined,
  ig_id: post.id,
  media_url: `${origin}/videos/${post.sha256}`,
  caption: instagram.settings.get().instagram_caption_in_list ? post.options.caption : undefined,
})

export async function mediaList(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const caller = authenticate(instagram, call.request, parameters, basicScope)
  if ('status' in caller) return caller
  const { creator } = caller
  if (!isOwn(creator, pathId(call.request))) return missingObject(pathId(call.request))
  const since = Number(parameters.get('since') ?? '0') * 1000
  const until = Number(parameters.get('until') ?? '9999999999') * 1000
  const limit = Number(parameters.get('limit') ?? '25')
  if (![since, until, limit].every(Number.isFinite))
    return invalidParameter('Invalid parameter: since, until or limit')
  const posts = instagram.posts
    .all()
    .filter(
      (post) =>
        post.archived !== true &&
        post.username === creator.username &&
        post.created_at >= since &&
        post.created_at <= until,
    )
    .toReversed()
  const data: Record<string, unknown>[] = []
  for (const post of posts.slice(0, limit)) {
    const picked = pick(toMedia(instagram, post, call.origin), parameters, ['id'])
    if (isAnswer(picked)) return picked
    data.push(picked)
  }
  return json(200, {
    data,
    ...(data.length === 0 ? {} : { paging: toPaging(call.origin, posts.length > limit) }),
  })
}

/** The next page is named but does not exist: paging by time reaches every post. */
const toPaging = (origin: string, more: boolean): Record<string, unknown> => ({
  cursors: { before: 'b', after: 'a' },
  ...(more ? { next: `${origin}/instagram/next-page` } : {}),
})

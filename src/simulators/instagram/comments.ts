import type { Answer, Call, Outcome } from '../kit/http/serve.ts'
import {
  authenticate,
  graphError,
  invalidParameter,
  json,
  missingObject,
  readParameters,
  scriptedError,
} from './graph/answers.ts'
import { isAnswer, pick } from './graph/fields.ts'
import { pathId } from './publish.ts'
import {
  commentScope,
  findShown,
  listComments,
  newCommentId,
  userId,
  type Comment,
  type Creator,
  type Instagram,
  type Post,
} from './state/state.ts'

/** No page states a limit for comments; 2200 is the limit of captions and of Instagram's own app. */
const messageMaxChars = 2200
/** IG Media Comments: "a maximum of 50 comments per query" */
const pageMax = 50

/** `POST /{media_id}/comments`: public at once, without an idempotency key. */
export async function comment(instagram: Instagram, call: Call): Promise<Outcome> {
  const parameters = await readParameters(call.request)
  const found = findPost(instagram, call, parameters)
  if ('status' in found) return found
  const { creator, post } = found
  const text = parameters.get('message') ?? ''
  if (text.trim() === '') return invalidParameter('The parameter message is required')
  // The code for a text that is too long is our assumption.
  if (text.length > messageMaxChars) return invalidParameter('(#100) The comment is too long')
  // The refusal is documented; its code is our assumption.
  if (post.comments_off === true) return invalidParameter('(#100) Comments are turned off for this media')
  const made: Comment = {
    id: newCommentId(),
    media_id: post.id,
    username: creator.username,
    text,
    created_at: instagram.clock.now(),
  }
  if (call.fault?.fault === 'late_effect') {
    instagram.lateComments.put(made.id, { ...made, created_at: made.created_at + call.fault.ms })
    return call.fault.error === null ? 'cut' : scriptedError(call.fault.error)
  }
  if (
    listComments(instagram, post.id).some((each) => each.username === made.username && each.text === text)
  ) {
    call.flag = 'commented_again'
  }
  instagram.comments.put(made.id, made)
  return json(200, { id: made.id })
}

/** `POST /{media_id}` with `comment_enabled`, the only change that IG Media accepts. */
export async function commentSetting(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const found = findPost(instagram, call, parameters)
  if ('status' in found) return found
  const enabled = parameters.get('comment_enabled')
  if (enabled !== 'true' && enabled !== 'false') {
    return invalidParameter('(#100) The parameter comment_enabled is required')
  }
  instagram.posts.put(found.post.id, { ...found.post, comments_off: enabled === 'false' })
  return json(200, { success: true })
}

/** `GET /{media_id}/comments`: newest first; `after` is the id of the last comment of the previous page. */
export async function commentList(instagram: Instagram, call: Call): Promise<Answer> {
  const parameters = await readParameters(call.request)
  const found = findPost(instagram, call, parameters)
  if ('status' in found) return found
  const limit = Number(parameters.get('limit') ?? '25')
  if (!Number.isInteger(limit) || limit < 1) return invalidParameter('Invalid parameter: limit')
  const all = listComments(instagram, found.post.id).toReversed()
  const after = parameters.get('after')
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  const page = all.slice(from, from + Math.min(limit, pageMax))
  const data: Record<string, unknown>[] = []
  for (const each of page) {
    const picked = pick(commentFields(each), parameters, ['text', 'timestamp'])
    if (isAnswer(picked)) return picked
    data.push(picked)
  }
  const last = page.at(-1)
  return json(200, {
    data,
    ...(last === undefined ? {} : { paging: { cursors: { before: page[0]?.id, after: last.id } } }),
  })
}

/** The fields of IG Comment. Practice comments have no replies, so undefined fields are left out. */
export const commentFields = (made: Comment): Record<string, unknown> => ({
  id: made.id,
  text: made.text,
  timestamp: new Date(made.created_at).toISOString().replace(/\.\d{3}Z$/, '+0000'),
  username: made.username,
  from: { id: userId(made.username), username: made.username },
  user: { id: userId(made.username) },
  media: { id: made.media_id, media_product_type: 'REELS' },
  like_count: 0,
  hidden: false,
  parent_id: undefined,
  replies: undefined,
  legacy_instagram_comment_id: undefined,
})

/** Both calls need the permission and the account's own post; the order of the two checks is our assumption. */
function findPost(
  instagram: Instagram,
  call: Call,
  parameters: URLSearchParams,
): { creator: Creator; post: Post } | Answer {
  const caller = authenticate(instagram, call.request, parameters, commentScope)
  if ('status' in caller) return caller
  const id = pathId(call.request)
  const post = findShown(instagram, id)
  if (call.fault?.fault === 'not_found' || post?.username !== caller.creator.username)
    return missingObject(id)
  return caller.creator.banned
    ? graphError({ code: 25, subcode: 2207050, message: 'The Instagram account is restricted.' })
    : { creator: caller.creator, post }
}

export function settleLateComments({ lateComments, comments, clock, store }: Instagram): void {
  for (const late of lateComments.all()) {
    if (late.created_at > clock.now()) continue
    store.transaction(() => {
      lateComments.delete(late.id)
      comments.put(late.id, late)
    })
  }
}

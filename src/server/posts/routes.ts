import { SIMILAR_POST_DAYS } from '#contract/limits.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { DryRun } from '#contract/planning/dry-run.ts'
import type { NewPost, Post, SimilarPost } from '#contract/posts.ts'
import { instantOf, minutesAfter } from '#domain/schedule/schedule.ts'
import { notFound } from '#base/problem.ts'
import { outOfReach, readReach } from '../api-keys/reach.ts'
import type { Handlers } from '../http/mount.ts'
import { refusal } from '../http/parse.ts'
import { publishedKey } from '../drafts/store.ts'
import type { Storage, StoredFile } from '../storage/storage.ts'
import type { Asker, FactsReader } from '../videos/facts.ts'
import { selectVideo } from '../videos/store.ts'
import type { Target } from './check-post.ts'
import { createPost, createPosts, type PostDeps, type PostRequest } from './create-post.ts'
import { deletePost } from './delete-post.ts'
import { keyInBatch, previewKey, requestHash } from './idempotency.ts'
import { type Idempotency, selectAtMinute, selectSimilar } from './store.ts'
import { assertPreviewed, dryRun } from './preview.ts'
import { getPostDetail, listPosts } from './read.ts'

type Deps = PostDeps & { readonly storage: Storage; readonly facts: FactsReader }

export const postRoutes = (
  deps: Deps,
): Handlers<
  | 'createPost'
  | 'createPosts'
  | 'tryPost'
  | 'postTikTokVideo'
  | 'postInstagramMedia'
  | 'findSimilarPosts'
  | 'listPosts'
  | 'getPost'
  | 'deletePost'
> => ({
  createPost: async ({ user, key: apiKey, body, idempotencyKey, markReplayed }) => {
    const { confirm_repeat: _asked, preview_token: token, ...request } = body
    const { draft } = request
    if (draft && idempotencyKey !== null) {
      const message = 'A draft is published only once without this header. Leave it out.'
      throw refusal('invalid', { 'Idempotency-Key': [message] })
    }
    const ownKey = draft ? publishedKey(draft.draft_id) : idempotencyKey
    if (token !== undefined && ownKey !== null) {
      const message =
        'A token makes one post without a draft and without the header Idempotency-Key. Leave them out.'
      throw refusal('invalid', { preview_token: [message] })
    }
    const key = ownKey ?? (token === undefined ? null : previewKey(token))
    // A request that is sent again is the same whether or not its user was asked in between.
    const made = await createPost(deps, user.user_id, {
      ...toRequest(body, idempotency(key, 'post', request)),
      ...(token !== undefined && {
        inspect: (content) => assertPreviewed(deps, user.user_id, token, content),
      }),
    })
    if (!made.repeated) return made.post
    const isReached = await readReach(deps.db, { user, key: apiKey })
    // Its user may have added accounts since.
    if (!made.post.deliveries.every((one) => isReached(one.account_id))) throw outOfReach()
    markReplayed()
    return made.post
  },

  createPosts: async ({ user, body, idempotencyKey, markReplayed }) => {
    const asked = body.posts.map(({ confirm_repeat: _asked, ...request }) => request)
    const hash = requestHash('posts', asked)
    const requests = asked.map((request, i) => {
      const { draft } = request
      // As alone: it makes one post, whichever call publishes it.
      const ofDraft = draft ? idempotency(publishedKey(draft.draft_id), 'post', request) : null
      const ofCall = idempotencyKey === null ? null : { key: keyInBatch(idempotencyKey, i), hash }
      return { ...toRequest(request, ofDraft ?? ofCall), place: `posts.${i}` }
    })
    const { posts, repeated } = await createPosts(deps, user.user_id, requests)
    if (repeated) markReplayed()
    return { posts }
  },

  postTikTokVideo: async ({ user, body, file, idempotencyKey, markReplayed, ip, gone }) => {
    const { post_info, source_info, accountId } = body
    // The plan that the browser sends is checked for this and otherwise not used: the platform's own rules make another.
    if (source_info.video_size !== file.size) {
      throw refusal('invalid', {
        'source_info.video_size': [
          `${source_info.video_size} bytes were announced and ${file.size} arrived.`,
        ],
      })
    }
    const { title, ...options } = post_info
    return postFile(deps, { userId: user.user_id, ip, gone }, file, {
      field: 'videoFile',
      platform: 'tiktok',
      text: title,
      textField: 'post_info.title',
      accountId,
      options,
      idempotency: idempotency(idempotencyKey, 'tiktok', file.sha256, post_info, accountId),
      markReplayed,
    })
  },

  postInstagramMedia: async ({ user, body, file, idempotencyKey, markReplayed, ip, gone }) => {
    const { caption, ...options } = body.post_info
    return postFile(deps, { userId: user.user_id, ip, gone }, file, {
      field: 'video',
      platform: 'instagram',
      text: caption,
      textField: 'post_info.caption',
      accountId: body.accountId,
      options,
      idempotency: idempotency(idempotencyKey, 'instagram', file.sha256, body.post_info, body.accountId),
      markReplayed,
    })
  },

  tryPost: async ({ user, body }) => {
    const preview = await dryRun(deps, user.user_id, toRequest(body, null))
    const similar = await findSimilarPosts(deps, user.user_id, body.video_id, preview.targets)
    return { ...preview, similar }
  },
  findSimilarPosts: async ({ user, body }) => {
    const { video_id: videoId, targets, publish_at: asked } = body
    const at = asked ? instantOf(asked.local, asked.timezone) : null
    const timed = targets.map((target) => ({
      ...target,
      goes_out_at: at === null ? null : toIso(minutesAfter(at, target.after_minutes ?? 0)),
    }))
    return { items: await findSimilarPosts(deps, user.user_id, videoId, timed) }
  },
  listPosts: async ({ user, key, query }) => {
    const isReached = await readReach(deps.db, { user, key })
    const page = await listPosts(deps.db, user, { ...query, now: deps.now() })
    const items = page.items.filter(({ deliveries }) => deliveries.every((one) => isReached(one.account_id)))
    return { ...page, items }
  },
  getPost: ({ user, params }) => getPostDetail(deps.db, user.user_id, params.postId),
  deletePost: ({ user, params }) => deletePost(deps, user.user_id, params.postId),
})

const toRequest = (body: NewPost, key: Idempotency | null): PostRequest => ({
  place: null,
  video: { kind: 'uploaded', videoId: body.video_id, field: 'video_id' },
  text: body.text,
  targets: targetsOf(body),
  publishAt: body.publish_at,
  schedule: body.schedule,
  draft: body.draft,
  replaces: body.replaces ?? [],
  confirmRepeat: body.confirm_repeat ?? false,
  reference: body.reference ?? null,
  inspect: null,
  idempotency: key,
})

const targetsOf = (body: NewPost): Target[] =>
  body.targets.map((target, i) => ({
    accountId: target.account_id,
    text: target.text ?? body.text,
    textField: target.text === undefined ? 'text' : `targets.${i}.text`,
    options: target.options,
    field: `targets.${i}.account_id`,
    optionsField: `targets.${i}.options`,
    platform: null,
    afterMinutes: target.after_minutes ?? 0,
  }))

type FormPost = {
  readonly field: string
  readonly platform: PlatformId
  readonly text: string
  readonly textField: string
  readonly accountId: number
  readonly options: Readonly<Record<string, unknown>>
  readonly idempotency: Idempotency | null
  readonly markReplayed: () => void
}

/** A platform's own form sends one video to one account, now. */
async function postFile(deps: Deps, asker: Asker, file: StoredFile, asked: FormPost): Promise<Post> {
  const facts = await deps.facts.readStored(asker, file)
  const made = await createPost(deps, asker.userId, {
    place: null,
    video: { kind: 'file', file, facts, field: asked.field },
    text: asked.text,
    targets: [
      {
        accountId: asked.accountId,
        text: asked.text,
        textField: asked.textField,
        options: asked.options,
        field: 'accountId',
        optionsField: 'post_info',
        platform: asked.platform,
        afterMinutes: null,
      },
    ],
    publishAt: undefined,
    schedule: undefined,
    draft: undefined,
    replaces: [],
    confirmRepeat: false,
    reference: null,
    inspect: null,
    idempotency: asked.idempotency,
  })
  if (made.repeated) {
    asked.markReplayed()
    // The post keeps the earlier request's file; this one has the same bytes.
    await deps.storage.delete(file.key)
  }
  return made.post
}

const idempotency = (key: string | null, ...request: unknown[]): Idempotency | null =>
  key === null ? null : { key, hash: requestHash(...request) }

const SIMILAR_MS = SIMILAR_POST_DAYS * 86_400_000

/**
 * For each account, the latest post with the same video or caption that went out lately or goes out soon, or else one at the same
 * minute.
 * @throws Problem not_found for the video
 */
async function findSimilarPosts(
  { db, now }: PostDeps,
  userId: number,
  videoId: number,
  targets: readonly Pick<DryRun['targets'][number], 'account_id' | 'text' | 'goes_out_at'>[],
): Promise<SimilarPost[]> {
  const video = await selectVideo(db, userId, videoId).select('sha256').executeTakeFirst()
  if (!video) throw notFound('video')
  if (targets.length === 0) return []
  const [from, to] = [new Date(now() - SIMILAR_MS), new Date(now() + SIMILAR_MS)]
  const similar = await selectSimilar(db, { userId, sha256: video.sha256, targets, from, to })
  const others = targets
    .filter(({ account_id: id }) => !similar.some(({ account_id }) => account_id === id))
    .flatMap(({ account_id: accountId, goes_out_at: at }) =>
      at === null ? [] : [{ accountId, at: new Date(at) }],
    )
  const timed = others.length === 0 ? [] : await selectAtMinute(db, { userId, targets: others })
  const found = [
    ...similar.map(({ same_video, same_text, ...row }) => ({
      ...row,
      same: same_video && same_text ? ('both' as const) : same_video ? ('video' as const) : ('text' as const),
    })),
    ...timed.map((row) => ({ ...row, same: 'time' as const })),
  ]
  return found.map(({ account_id, post_id, same, goes_out_at }) => ({
    account_id,
    post_id,
    same,
    goes_out_at: goes_out_at.toISOString(),
  }))
}

const toIso = (ms: number): string => new Date(ms).toISOString()

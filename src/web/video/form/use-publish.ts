import type { Account } from '#contract/accounts.ts'
import type { Post } from '#contract/posts.ts'
import { ApiProblem, call } from '#web/client/api.ts'
import { accountOptionsQuery, ANY_POSTS, queryClient } from '#web/client/queries.ts'
import { uploadPoster } from '#web/video/file/poster.ts'
import { useSubmissions } from '#web/video/upload/submission-key.ts'
import { useUpload } from '#web/video/upload/use-upload.ts'
import type { SingleForm } from './panel.ts'
import { cancellationOf, earlierOutcome, isCancelled, NOTHING_POSTED } from './post-outcomes.ts'

type Publication<Info> = {
  readonly account: Account
  readonly file: File
  readonly info: Info
  /** The moment of the poster, in ms; 0: none was chosen. */
  readonly coverMs: number
  /** The server has the post, and it was not cancelled. */
  readonly onAccepted: () => void
}

/** Sends one video to one account. The same contents sent again make no second post: see `submission-key.ts`. */
export function usePublish<Value, Info>({ panel, texts, post: createPost }: SingleForm<Value, Info>) {
  const submissions = useSubmissions(panel.platform)
  const { state, upload, clear } = useUpload<Post>(panel.platform)

  const publish = (it: Publication<Info>): Promise<unknown> => {
    const { account, file, info } = it
    const submission = submissions.begin(file, [account.account_id, info])
    const accept = (post: Post): Post => {
      void uploadPoster(post.video.video_id, file, { coverMs: it.coverMs })
      submissions.end(submission)
      void queryClient.invalidateQueries(ANY_POSTS)
      void queryClient.invalidateQueries(accountOptionsQuery(account.account_id))
      if (!isCancelled(post)) it.onAccepted()
      return post
    }
    return upload({
      file,
      texts,
      otherOutcome: earlierOutcome,
      cancelledText: NOTHING_POSTED,
      afterCancel: async () => {
        const post = await withdraw(submission.key, false)
        if (post !== null) void queryClient.invalidateQueries(ANY_POSTS)
        const cancellation = cancellationOf(post)
        if (cancellation.publishesNothing) submissions.end(submission)
        return cancellation
      },
      afterInterruption: async () => {
        const post = await withdraw(submission.key, true)
        if (post !== null) return accept(post)
        submissions.end(submission)
        return null
      },
      send: async (controls) => {
        const request = { file, info, accountId: account.account_id, idempotencyKey: submission.key }
        const post = await createPost({ ...request, ...controls }).catch((error: unknown) => {
          if (isKeyUnusable(error)) submissions.end(submission)
          throw error
        })
        return accept(post)
      },
    })
  }
  return { state, publish, clear }
}

/** Long enough for a busy server, short enough for a user who waits for the answer. */
const WITHDRAW_TIMEOUT_MS = 20_000

/** @returns the post that the key made, if any; without one, none can be made under this key any more */
async function withdraw(key: string, keepPost: boolean): Promise<Post | null> {
  const body = { idempotency_key: key, keep_post: keepPost }
  return (await call('withdrawPost', { body, timeoutMs: WITHDRAW_TIMEOUT_MS })).post
}

/** The key belongs to another file of the same name and size, or its post was deleted. */
const isKeyUnusable = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'conflict'

import { Button } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import { INSTAGRAM_FORM_MAX_BYTES } from '#contract/platforms/instagram.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { isRefused } from '#domain/post-check.ts'
import { ApiProblem, call } from '#web/api.ts'
import { useKept } from '#web/kept.ts'
import { ANY_POSTS, queryClient, videosQuery } from '#web/queries.ts'
import { accountOf, AccountSelect } from '#web/video/account-select.tsx'
import { fieldErrorsOf } from '#web/video/field-errors.ts'
import { focusFirstInvalid } from '#web/video/focus-first-invalid.ts'
import classes from '#web/video/form.module.css'
import { sendPoster } from '#web/video/poster.ts'
import { PostsOnce, SeeInQueue, SendState } from '#web/video/send-state.tsx'
import { useSending } from '#web/video/sending.ts'
import { makeSubmissionKeys } from '#web/video/submission-key.ts'
import { useVideoCheck } from '#web/video/use-video-check.ts'
import { mayBeVideo, VideoField } from '#web/video/video-field.tsx'
import { EMPTY_INSTAGRAM_DRAFT, InstagramFields, instagramPostInfo } from './fields.tsx'

const keys = makeSubmissionKeys()

/** One video to one Instagram account, now. */
export function InstagramForm({ accounts }: { accounts: readonly Account[] }) {
  const [accountId, setAccountId] = useKept<number | null>('instagram account', null)
  const [file, setFile] = useKept<File | null>('instagram file', null)
  const [draft, setDraft] = useKept('instagram draft', EMPTY_INSTAGRAM_DRAFT)
  const [errors, setErrors] = useState<{ accountId?: string | null; video?: string | null }>({})
  const { state, send, clear } = useSending<Post>('instagram')

  const account = accountOf(accounts, accountId)
  const check = useVideoCheck(file, ['instagram'])
  const sending = state.kind === 'sending'

  /** Whatever is changed makes the last outcome old news, and what is said of the field new. */
  const changed = (said: typeof errors) => {
    if (state.kind !== 'idle') clear()
    setErrors({ ...errors, ...said })
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const found = {
      accountId: account === null ? 'Choose an account.' : null,
      video: fileError(file),
    }
    setErrors(found)
    const post_info = instagramPostInfo(draft)
    if (found.video !== null || account === null || file === null || post_info === null)
      return focusFirstInvalid(form)
    if (check.kind === 'known' && isRefused(check.findings)) return focusFirstInvalid(form)
    const body = { post_info, accountId: account.account_id }
    const idempotencyKey = keys.keyFor(file, body)
    await send({
      size: file.size,
      run: async (how) => {
        const post = await call('postInstagramMedia', { body, file, idempotencyKey, ...how })
        keys.spent()
        void sendPoster(post.video.video_id, file)
        setFile(null)
        setDraft(EMPTY_INSTAGRAM_DRAFT)
        void queryClient.invalidateQueries(ANY_POSTS)
        void queryClient.invalidateQueries(videosQuery)
        return post
      },
      news: (ended) =>
        ended.kind === 'done'
          ? { kind: 'done', message: TEXTS.uploadInitiated }
          : ended.kind === 'failed'
            ? { kind: 'failed', message: failure(ended.error) }
            : null,
    })
  }

  const said =
    state.kind === 'failed' ? fieldErrorsOf(state.error, { prefix: 'post_info', text: 'caption' }) : {}
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <AccountSelect
        accounts={accounts}
        value={account?.account_id ?? null}
        onChange={(id) => {
          changed({ accountId: null })
          setAccountId(id)
        }}
        error={said['accountId'] ?? errors.accountId ?? null}
        disabled={sending}
      />
      <VideoField
        label="Video file"
        file={file}
        onChange={(chosen) => {
          changed({ video: fileError(chosen) })
          setFile(chosen)
        }}
        check={check}
        help="MP4 or MOV, under 100 MB, 3 seconds to 15 minutes."
        error={said['video'] ?? errors.video ?? null}
        disabled={sending}
      />
      <InstagramFields
        draft={draft}
        onChange={(next) => {
          changed({})
          setDraft(next)
        }}
        error={said['caption'] ?? null}
        disabled={sending}
      />
      <SendState
        state={state}
        success={TEXTS.uploadInitiated}
        failure={failure}
        next={<SeeInQueue />}
        unanswered={<PostsOnce />}
      />
      <div className={classes.foot}>
        <Button type="submit" disabled={sending || check.kind === 'reading' || file === null}>
          {account === null ? 'Publish to Instagram' : `Publish to ${accountName(account)}`}
        </Button>
      </div>
    </form>
  )
}

function fileError(file: File | null): string | null {
  if (file === null) return TEXTS.chooseVideo
  if (!mayBeVideo(file)) return TEXTS.notAVideo
  return file.size >= INSTAGRAM_FORM_MAX_BYTES ? TEXTS.instagramTooLarge : null
}

/** The specification's 'Failed to upload video: {server message or Unknown error occurred}'. */
function failure(error: Error): string {
  if (error instanceof ApiProblem && error.kind !== 'unreadable')
    return TEXTS.uploadFailedPrefix + error.message
  return TEXTS.uploadFailedPrefix + TEXTS.unknownError
}

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link } from 'react-router'
import { accountName, type Account } from '#contract/accounts.ts'
import { VIDEO_MAX_BYTES } from '#contract/limits.ts'
import { tiktokSourceInfo } from '#contract/platforms/tiktok.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { isRefused } from '#domain/post-check.ts'
import { ApiProblem, call } from '#web/api.ts'
import { useKept } from '#web/kept.ts'
import { PATHS } from '#web/paths.ts'
import { accountOptionsQuery, ANY_POSTS, queryClient, settingsQuery, videosQuery } from '#web/queries.ts'
import { messageOf } from '#web/ui/message-of.ts'
import { Trouble } from '#web/ui/trouble.tsx'
import { accountOf, AccountSelect } from '#web/video/account-select.tsx'
import { fieldErrorsOf } from '#web/video/field-errors.ts'
import { focusFirstInvalid } from '#web/video/focus-first-invalid.ts'
import classes from '#web/video/form.module.css'
import { sendPoster } from '#web/video/poster.ts'
import { PostsOnce, SeeInQueue, SendState } from '#web/video/send-state.tsx'
import { useSending } from '#web/video/sending.ts'
import { makeSubmissionKeys } from '#web/video/submission-key.ts'
import { useVideoCheck, type VideoCheck } from '#web/video/use-video-check.ts'
import { mayBeVideo, VideoField } from '#web/video/video-field.tsx'
import { WaitingFields } from '#web/video/waiting-fields.tsx'
import {
  EMPTY_TIKTOK_DRAFT,
  TikTokDeclaration,
  TikTokFields,
  tiktokPostInfo,
  TikTokTitle,
  titleError,
  type FieldErrors,
  type TikTokDraft,
} from './fields.tsx'

const keys = makeSubmissionKeys()

/** One video to one TikTok account, now. */
export function TikTokForm({ accounts }: { accounts: readonly Account[] }) {
  const [accountId, setAccountId] = useKept<number | null>('tiktok account', null)
  const [file, setFile] = useKept<File | null>('tiktok file', null)
  const [draft, setDraft] = useKept('tiktok draft', EMPTY_TIKTOK_DRAFT)
  const [errors, setErrors] = useState<FieldErrors>({})
  const { state, send, clear } = useSending<Post>('tiktok')

  const account = accountOf(accounts, accountId)
  const rules = useRules(account)
  const limits = rules.data ? { maxDurationS: rules.data.options.max_duration_s } : {}
  const check = useVideoCheck(file, ['tiktok'], limits)
  const sending = state.kind === 'sending'

  /** Whatever is changed makes the last outcome old news, and what is said of the field new. */
  const changed = (said: FieldErrors) => {
    if (state.kind !== 'idle') clear()
    setErrors({ ...errors, ...said })
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const info = rules.data ? tiktokPostInfo(draft, rules.data) : null
    const found: FieldErrors = {
      accountId: account === null ? 'Choose an account.' : null,
      videoFile: fileError(file),
      video_cover_timestamp_ms: coverError(draft, check),
      // Without an account its choices are not known, but the title can be judged.
      ...(info === null ? { title: titleError(draft) } : info.ok ? {} : info.errors),
    }
    setErrors(found)
    const isComplete = Object.values(found).every((message) => message === null)
    if (!isComplete || account === null || file === null || !info?.ok) return focusFirstInvalid(form)
    if (check.kind === 'known' && isRefused(check.findings)) return focusFirstInvalid(form)
    const body = {
      post_info: info.value,
      source_info: tiktokSourceInfo(file.size),
      accountId: account.account_id,
    }
    const idempotencyKey = keys.keyFor(file, body)
    await send({
      size: file.size,
      run: async (how) => {
        const post = await call('postTikTokVideo', { body, file, idempotencyKey, ...how })
        keys.spent()
        void sendPoster(post.video.video_id, file, draft.coverMs)
        setFile(null)
        setDraft(EMPTY_TIKTOK_DRAFT)
        void queryClient.invalidateQueries(ANY_POSTS)
        void queryClient.invalidateQueries(videosQuery)
        return post
      },
      news: (ended) =>
        ended.kind === 'done'
          ? { kind: 'done', message: TEXTS.uploadInitialized }
          : ended.kind === 'failed'
            ? { kind: 'failed', message: failure(ended.error) }
            : null,
    })
  }

  const said =
    state.kind === 'failed' ? fieldErrorsOf(state.error, { prefix: 'post_info', text: 'title' }) : {}
  const shown = { ...errors, ...said }
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)} noValidate>
      <AccountSelect
        accounts={accounts}
        value={account?.account_id ?? null}
        onChange={(id) => {
          changed({ accountId: null })
          setAccountId(id)
        }}
        error={shown['accountId'] ?? null}
        disabled={sending}
      />
      <VideoField
        label="Video file"
        file={file}
        onChange={(chosen) => {
          changed({ videoFile: fileError(chosen) })
          setFile(chosen)
        }}
        check={check}
        coverMs={draft.coverMs}
        help="MP4, MOV or WebM, up to 4 GB."
        error={shown['videoFile'] ?? null}
        disabled={sending}
      />
      <TikTokTitle
        draft={draft}
        onChange={(next) => {
          changed({ title: null })
          setDraft(next)
        }}
        errors={shown}
        disabled={sending}
      />
      {rules.kind === 'waiting' && <WaitingFields fields={2} />}
      {rules.kind === 'failed' && (
        <Trouble
          actions={
            <>
              <Button size="xs" variant="default" onClick={rules.retry}>
                Try again
              </Button>
              <Button size="xs" variant="default" component={Link} to={PATHS.accounts}>
                Go to accounts
              </Button>
            </>
          }
        >
          <strong>What this account may choose is not known.</strong>{' '}
          {messageOf(rules.error, TEXTS.unknownError)}
        </Trouble>
      )}
      {rules.data && (
        <TikTokFields
          draft={draft}
          onChange={(next) => {
            changed({ privacy_level: null, video_cover_timestamp_ms: null })
            setDraft(next)
          }}
          errors={shown}
          disabled={sending}
          rules={rules.data}
        />
      )}
      <SendState
        state={state}
        success={TEXTS.uploadInitialized}
        failure={failure}
        next={<SeeInQueue />}
        unanswered={<PostsOnce />}
      />
      <div className={classes.foot}>
        <TikTokDeclaration />
        <Button type="submit" disabled={sending || check.kind === 'reading' || rules.kind === 'failed'}>
          {account === null ? 'Publish to TikTok' : `Publish to ${accountName(account)}`}
        </Button>
      </div>
    </form>
  )
}

/** What the account may choose, once there is an account and TikTok has said it. */
function useRules(account: Account | null) {
  const settings = useQuery(settingsQuery)
  const asked = useQuery(accountOptionsQuery(account?.account_id ?? null))
  const auditForm = settings.data?.platforms.find(({ id }) => id === 'tiktok')?.audit_form ?? false
  if (account === null) return { kind: 'none', data: null } as const
  if (asked.status === 'pending') return { kind: 'waiting', data: null } as const
  if (asked.status === 'error')
    return { kind: 'failed', data: null, error: asked.error, retry: () => void asked.refetch() } as const
  if (asked.data.platform !== 'tiktok') return { kind: 'none', data: null } as const
  return { kind: 'known', data: { options: asked.data, auditForm } } as const
}

function coverError({ coverMs }: TikTokDraft, check: VideoCheck): string | null {
  const isOver = check.kind === 'known' && coverMs > check.facts.duration_s * 1000
  return isOver ? 'The video ends before that.' : null
}

function fileError(file: File | null): string | null {
  if (file === null) return TEXTS.chooseVideo
  if (!mayBeVideo(file)) return TEXTS.notAVideo
  return file.size > VIDEO_MAX_BYTES ? TEXTS.videoTooLarge : null
}

/**
 * The specification's fourth text names the server's message, which is Instagram's form; this one's ends in "Check
 * console for details.", kept for a fault without a reason. A known reason takes that sentence's place (ruling R17).
 */
function failure(error: Error): string {
  if (error instanceof ApiProblem && error.kind !== 'unreadable')
    return TEXTS.uploadFailed.replace('Check console for details.', error.message)
  // oxlint-disable-next-line no-console -- the text leads there
  console.error(error)
  return TEXTS.uploadFailed
}

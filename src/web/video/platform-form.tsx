import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { Link } from 'react-router'
import { z } from 'zod'
import { accountName, type Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { isRefused } from '#domain/video-check/post-check.ts'
import { ApiProblem, call, refusalOf } from '#web/client/api.ts'
import { useDraft, useKept } from '#web/session/browser-store.ts'
import { PATHS } from '#web/lib/paths.ts'
import { accountOptionsQuery, ANY_POSTS, queryClient, settingsQuery } from '#web/client/queries.ts'
import { messageOf } from '#web/lib/format/message-of.ts'
import { InlineAlert } from '#web/components/feedback/inline-alert.tsx'
import { FieldsSkeleton } from '#web/components/feedback/skeletons.tsx'
import { accountOf, AccountSelect } from './account-select.tsx'
import { DraftLine } from './draft-line.tsx'
import { fieldErrorsOf } from './field-errors.ts'
import { fileErrorOf } from './file-error.ts'
import { focusFirstInvalid } from './focus-first-invalid.ts'
import classes from './form.module.css'
import { earlierOutcome, STOPPED_EARLY, whatWasStopped } from './outcomes.ts'
import type { FieldErrors, Panel, PanelContext, SingleForm } from './panel.ts'
import { sendPoster } from './poster.ts'
import { PostsLeft } from './posts-left.tsx'
import { PostsOnce, SeeInQueue, SendState } from './send-state.tsx'
import { useSending } from './sending.ts'
import { useSubmissions } from './submission-key.ts'
import { useVideoCheck } from './use-video-check.ts'
import { VideoField } from './video-field.tsx'

type Props<Value, Info> = { form: SingleForm<Value, Info>; accounts: readonly Account[] }

/** One video to one account, now: all that is the same whichever platform it goes to. */
export function PlatformForm<Value, Info>({ form, accounts }: Props<Value, Info>) {
  const { panel } = form
  const { empty, draft, file, setFile, account, rules, check, context } = useFilled(panel, accounts)
  const { value } = draft.value
  const judged = panel.judge(value, context)
  const fileError = fileErrorOf(file, form.file)
  const submissions = useSubmissions(panel.platform)
  const { state, send, clear } = useSending<Post>(panel.platform)
  const sending = state.kind === 'sending'
  // Once asked to send, the form says of every field what it still lacks.
  const [asked, setAsked] = useState(false)
  const [removed, setRemoved] = useState(false)
  const element = useRef<HTMLFormElement>(null)

  /** Whatever is changed makes the last outcome old news. */
  const change = (next: Partial<typeof draft.value>) => {
    clear()
    draft.set({ ...draft.value, ...next })
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setAsked(true)
    const isRefusable = check.kind === 'known' && isRefused(check.findings)
    if (account === null || file === null || fileError !== null || !judged.ok || isRefusable)
      return focusFirstInvalid(event.currentTarget)
    const { info } = judged
    const submission = submissions.open(file, [account.account_id, info])
    const withdraw = async (keepPost: boolean) => {
      const body = { idempotency_key: submission.key, keep_post: keepPost }
      return (await call('withdrawPost', { body, timeoutMs: WITHDRAW_TIMEOUT_MS })).post
    }
    const taken = (post: Post) => {
      void sendPoster(post.video.video_id, file, panel.coverMs(value))
      submissions.settle(submission)
      void queryClient.invalidateQueries(ANY_POSTS)
      void queryClient.invalidateQueries(accountOptionsQuery(account.account_id))
      // Nothing of it goes out: what was typed may be sent once more.
      if (post.deliveries.every(({ status }) => status === 'cancelled')) return post
      draft.clear({ ...empty, accountId: account.account_id })
      setFile(null)
      setAsked(false)
      return post
    }
    await send({
      file,
      words: form.words,
      instead: earlierOutcome,
      stoppedEarly: STOPPED_EARLY,
      afterStop: async () => {
        const post = await withdraw(false)
        if (post !== null) void queryClient.invalidateQueries(ANY_POSTS)
        const stopped = whatWasStopped(post)
        // What is out cannot be taken back; sent again as it stands, it must not be out twice.
        if (stopped.isGone) submissions.settle(submission)
        return stopped
      },
      afterBreak: async () => {
        const post = await withdraw(true)
        if (post !== null) return taken(post)
        submissions.settle(submission)
        return null
      },
      run: async (how) => {
        const it = { file, info, accountId: account.account_id, idempotencyKey: submission.key }
        const post = await form.post({ ...it, ...how }).catch((error: unknown) => {
          if (isOther(error)) submissions.settle(submission)
          throw error
        })
        return taken(post)
      },
    })
  }

  const discard = () => {
    clear()
    draft.clear(empty)
    setFile(null)
    setRemoved(false)
    setAsked(false)
    element.current?.querySelector('input')?.focus()
  }

  const errors: FieldErrors = {
    ...(asked && {
      accountId: account === null ? 'Choose an account.' : null,
      ...(judged.ok ? {} : judged.errors),
    }),
    [form.file.field]: asked || removed || file !== null ? fileError : null,
    ...(state.kind === 'failed' &&
      fieldErrorsOf(state.error, { prefix: 'post_info', text: panel.textField })),
  }
  const isTouched =
    file !== null || JSON.stringify({ ...draft.value, accountId: null }) !== JSON.stringify(empty)
  return (
    <form className={classes.form} ref={element} onSubmit={(event) => void submit(event)} noValidate>
      <AccountSelect
        accounts={accounts}
        value={account?.account_id ?? null}
        onChange={(chosen) => change({ accountId: chosen })}
        error={errors['accountId'] ?? null}
        disabled={sending}
      />
      {account !== null && account.can_publish && account.health.status === 'ok' && (
        <PostsLeft account={account} needsOptions={panel.needsOptions} />
      )}
      <VideoField
        label="Video file"
        file={file}
        again={draft.value.filename}
        onChange={(chosen) => {
          setFile(chosen)
          setRemoved(chosen === null)
          change({ filename: chosen?.name ?? null })
        }}
        check={check}
        coverMs={panel.coverMs(value)}
        help={form.fileHelp}
        error={errors[form.file.field] ?? null}
        disabled={sending}
      />
      <panel.Fields
        value={value}
        onChange={(next) => change({ value: next })}
        errors={errors}
        disabled={sending}
        context={context}
      />
      {rules.kind === 'waiting' && <FieldsSkeleton heights={[36, 36, 36]} />}
      {rules.kind === 'failed' && <RulesUnknown error={rules.error} onRetry={rules.retry} />}
      <div className={classes.end}>
        <SendState
          state={state}
          words={form.words}
          next={<SeeInQueue />}
          interrupted="nothing was posted"
          unanswered={<PostsOnce />}
        />
        <div className={classes.foot}>
          {panel.Terms && <panel.Terms />}
          <Button
            type="submit"
            // The page's one primary action is in the form that has a video.
            variant={file === null ? 'default' : 'filled'}
            disabled={
              sending ||
              check.kind === 'reading' ||
              // Not judged until it is known: a press would say nothing.
              rules.kind === 'waiting' ||
              rules.kind === 'failed' ||
              (form.waitsForFile && file === null)
            }
          >
            {`Publish to ${account === null ? PLATFORM_NAMES[panel.platform] : accountName(account)}`}
          </Button>
        </div>
        {isTouched && !sending && <DraftLine onDiscard={discard} />}
      </div>
    </form>
  )
}

/** Long enough for a busy server, short enough for somebody who waits for the answer. */
const WITHDRAW_TIMEOUT_MS = 20_000

/** The key was another file's of the same name and size, or its post is gone: it makes nothing any more. */
const isOther = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'conflict'

/** What is in the form now, and what is known of it: kept over screens, and all but the file over reloads. */
function useFilled<Value, Info>(panel: Panel<Value, Info>, accounts: readonly Account[]) {
  const [schema] = useState(() =>
    z.object({ accountId: z.int().nullable(), filename: z.string().nullable(), value: panel.schema }),
  )
  const empty = { accountId: null, filename: null, value: panel.empty }
  const draft = useDraft(`${panel.platform} form`, schema, empty)
  const [file, setFile] = useKept<File | null>(`${panel.platform} file`, null)
  const account = accountOf(accounts, draft.value.accountId)
  const rules = useRules(panel.needsOptions ? account : null)
  const limits = rules.options && 'max_duration_s' in rules.options ? rules.options : null
  const check = useVideoCheck(file, [panel.platform], limits ? { maxDurationS: limits.max_duration_s } : {})
  const context: PanelContext = {
    options: rules.options,
    auditForm: rules.auditForm,
    video: check.kind === 'known' ? check.facts : null,
  }
  return { empty, draft, file, setFile, account, rules, check, context }
}

/** What the account may choose, once there is an account and the platform has said it. */
function useRules(account: Account | null) {
  const settings = useQuery(settingsQuery)
  const asked = useQuery(accountOptionsQuery(account?.account_id ?? null))
  const platform = settings.data?.platforms.find(({ id }) => id === account?.platform)
  const auditForm = platform?.audit_form ?? false
  if (account === null) return { kind: 'none', options: null, auditForm } as const
  // What was known stays, whatever becomes of the next question.
  if (asked.data) return { kind: 'known', options: asked.data, auditForm } as const
  if (asked.status === 'error') {
    const retry = () => void asked.refetch()
    return { kind: 'failed', options: null, auditForm, error: asked.error, retry } as const
  }
  return { kind: 'waiting', options: null, auditForm } as const
}

function RulesUnknown({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <InlineAlert
      actions={
        <>
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
          <Button size="xs" variant="default" component={Link} to={PATHS.accounts}>
            Go to accounts
          </Button>
        </>
      }
    >
      {refusalOf(error) ?? (
        <>
          <strong>What this account may choose is not known.</strong> {messageOf(error, TEXTS.unknownError)}
        </>
      )}
    </InlineAlert>
  )
}

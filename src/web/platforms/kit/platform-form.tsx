import { Button, Group, Stack } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { Link } from 'react-router'
import { accountName, type Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { planFix } from '#domain/video-check/fix-plan.ts'
import { isRefused, type AccountLimits } from '#domain/video-check/post-check.ts'
import { FieldsSkeleton } from '#web/ui/skeletons.tsx'
import { PATHS } from '#web/lib/paths.ts'
import { useSessionState } from '#web/session/browser-store.ts'
import { AccountOptionsError, useAccountOptions } from './account-options.tsx'
import { fileErrorOf } from '#web/videos/file-error.ts'
import { useVideoCheck } from '#web/videos/use-video-check.ts'
import { AccountSelect, selectedAccount } from './account-select.tsx'
import { fieldErrorsOf, focusFirstInvalid } from './field-errors.ts'
import classes from './kit.module.css'
import type { FieldErrors, PanelContext, SingleForm } from './panel.ts'
import { RemainingPosts } from './remaining-posts.tsx'
import { UploadStatus } from './upload-status.tsx'
import { usePublish } from './use-publish.ts'
import { VideoField } from './video-field.tsx'

type Props<Value, Info> = { form: SingleForm<Value, Info>; accounts: readonly Account[] }

/** Publishes one video to one account now, on any platform. */
export function PlatformForm<Value, Info>({ form, accounts }: Props<Value, Info>) {
  const { panel } = form
  const blank = { accountId: null as number | null, file: null as File | null, value: panel.empty }
  const [filled, setFilled] = useSessionState(`${panel.platform} form`, blank)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const { file, value } = filled
  const account = selectedAccount(accounts, filled.accountId)
  const { options, check, context, limits } = usePanelContext(form, file, account)
  const { state, texts, publish, clear } = usePublish(form)
  const validation = panel.validate(value, context)
  const fileError = fileErrorOf(file, form.file)
  const isUploading = state?.kind === 'uploading'

  const errors: FieldErrors = {
    ...(wasSubmitted && {
      accountId: account === null ? 'Choose an account.' : null,
      ...(validation.ok ? {} : validation.errors),
    }),
    [form.file.field]: wasSubmitted || file !== null ? fileError : null,
    ...(state?.kind === 'failed' &&
      fieldErrorsOf(state.error, { prefix: 'post_info', text: panel.textField })),
  }
  const change = (next: Partial<typeof filled>) => {
    // The last outcome is not that of what is changed.
    clear()
    setFilled({ ...filled, ...next })
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    const isVideoRefused = check.kind === 'known' && isRefused(check.findings)
    if (account === null || file === null || fileError !== null || !validation.ok || isVideoRefused)
      return focusFirstInvalid(event.currentTarget)
    const onMade = () => {
      setFilled({ ...blank, accountId: account.account_id })
      setWasSubmitted(false)
    }
    void publish({ account, file, info: validation.info, coverMs: panel.coverMs(value), onMade })
  }
  const plan =
    file !== null && fileError === null && check.kind === 'known'
      ? planFix(check.facts, file.size, [{ platform: panel.platform, account: limits }])
      : null
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <AccountSelect
        accounts={accounts}
        value={account?.account_id ?? null}
        onChange={(accountId) => change({ accountId })}
        error={errors['accountId'] ?? null}
        disabled={isUploading}
      />
      {account !== null && <RemainingPosts account={account} needsOptions={panel.needsOptions} />}
      <VideoField
        label="Video file"
        file={file}
        onChange={(chosen) => change({ file: chosen })}
        check={check}
        coverMs={panel.coverMs(value)}
        help={form.fileHelp}
        error={errors[form.file.field] ?? null}
        disabled={isUploading}
        remedy={
          plan && (
            <>
              A <Link to={PATHS.compose}>new post</Link> can fix this in your browser:{' '}
              {plan.changes.join(', ')}.
            </>
          )
        }
      />
      <panel.Fields
        value={value}
        onChange={(next) => change({ value: next })}
        errors={errors}
        disabled={isUploading}
        context={context}
      />
      {options.kind === 'pending' && <FieldsSkeleton heights={[36, 36, 36]} />}
      {options.kind === 'failed' && <AccountOptionsError error={options.error} onRetry={options.retry} />}
      <Stack mt="auto">
        <UploadStatus
          state={state}
          texts={texts}
          next={
            <Button size="xs" variant="default" component={Link} to={PATHS.queue}>
              See it in the queue
            </Button>
          }
          interrupted="nothing was posted"
          unanswered={
            <>
              Check the <Link to={PATHS.queue}>queue</Link>, or send it again: it can't be posted twice.
            </>
          }
        />
        <Group justify="space-between" gap="0.75rem 1rem" className={classes.foot}>
          {panel.Terms && <panel.Terms />}
          <Button
            type="submit"
            // The page's one primary action is in the form that has a video.
            variant={file === null ? 'default' : 'filled'}
            disabled={
              isUploading ||
              check.kind === 'reading' ||
              options.kind === 'pending' ||
              options.kind === 'failed' ||
              (form.waitsForFile && file === null)
            }
          >
            Publish to {account === null ? PLATFORM_NAMES[panel.platform] : accountName(account)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function usePanelContext<Value, Info>(
  { panel }: SingleForm<Value, Info>,
  file: File | null,
  account: Account | null,
) {
  const options = useAccountOptions(panel.needsOptions ? account : null)
  const limits: AccountLimits =
    options.options && 'max_duration_s' in options.options
      ? { maxDurationS: options.options.max_duration_s }
      : {}
  const check = useVideoCheck(file, [panel.platform], limits)
  const context: PanelContext = {
    account,
    options: options.options,
    auditForm: options.auditForm,
    video: check.kind === 'known' ? check.facts : null,
    // The panel's own value has it.
    text: '',
  }
  return { options, check, context, limits }
}

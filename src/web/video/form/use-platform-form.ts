import { useState } from 'react'
import type { Account } from '#contract/accounts.ts'
import { isRefused, type AccountLimits } from '#domain/video-check/post-check.ts'
import { useAccountOptions } from '#web/video/account/account-options.tsx'
import { selectedAccount } from '#web/video/account/account-select.tsx'
import { fileErrorOf } from '#web/video/file/file-error.ts'
import { useFileFix } from '#web/video/fix/file-fix.tsx'
import { useVideoCheck } from '#web/video/file/use-video-check.ts'
import { fieldErrorsOf } from './field-errors.ts'
import type { FieldErrors, PanelContext, SingleForm } from './panel.ts'
import { usePostDraft } from './use-post-draft.ts'
import { usePublish } from './use-publish.ts'

/** Draft, account, checks and sending of one platform's form. */
export function usePlatformForm<Value, Info>(form: SingleForm<Value, Info>, accounts: readonly Account[]) {
  const { panel } = form
  const draft = usePostDraft(panel)
  const { file, value } = draft
  const account = selectedAccount(accounts, draft.accountId)
  const { check, options, context, limits } = usePanelContext(form, file, account)
  const validation = panel.validate(value, context)
  const fileError = fileErrorOf(file, form.file)
  const { state, publish, clear } = usePublish(form)
  const fileFix = useFileFix({
    name: `${panel.platform} form`,
    file: fileError === null ? file : null,
    check,
    target: { platform: panel.platform, account: limits },
    onFixed: (fixed) => {
      clear()
      draft.chooseFile(fixed)
    },
  })
  const [wasSubmitted, setWasSubmitted] = useState(false)

  const errors: FieldErrors = {
    ...(wasSubmitted && {
      accountId: account === null ? 'Choose an account.' : null,
      ...(validation.ok ? {} : validation.errors),
    }),
    [form.file.field]: wasSubmitted || draft.wasFileRemoved || file !== null ? fileError : null,
    ...(state.kind === 'failed' &&
      fieldErrorsOf(state.error, { prefix: 'post_info', text: panel.textField })),
  }

  // Any change makes the last outcome outdated, so each clears it.
  return {
    draft,
    account,
    check,
    fileFix,
    options,
    context,
    state,
    errors,
    change: (next: Parameters<typeof draft.change>[0]) => {
      clear()
      draft.change(next)
    },
    chooseFile: (chosen: File | null) => {
      fileFix.fix.abandon()
      clear()
      draft.chooseFile(chosen)
    },
    /** @returns whether it was complete and is being sent */
    submit: (): boolean => {
      setWasSubmitted(true)
      const isVideoRefused = check.kind === 'known' && isRefused(check.findings)
      if (account === null || file === null || fileError !== null || !validation.ok || isVideoRefused)
        return false
      const onAccepted = () => {
        draft.reset(account.account_id)
        setWasSubmitted(false)
      }
      void publish({ account, file, info: validation.info, coverMs: panel.coverMs(value), onAccepted })
      return true
    },
    discard: () => {
      fileFix.fix.abandon()
      clear()
      draft.reset(null)
      setWasSubmitted(false)
    },
  }
}

/** What the platform says of the account, and what the file says of itself. */
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
  }
  return { check, options, context, limits }
}

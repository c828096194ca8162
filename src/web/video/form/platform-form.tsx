import { useRef, type FormEvent } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { FieldsSkeleton } from '#web/components/feedback/skeletons.tsx'
import { AccountOptionsError } from '#web/video/account/account-options.tsx'
import { AccountSelect } from '#web/video/account/account-select.tsx'
import { RemainingPosts } from '#web/video/account/remaining-posts.tsx'
import { FileFix } from '#web/video/fix/file-fix.tsx'
import { VideoField } from '#web/video/file/video-field.tsx'
import { focusFirstInvalid } from './focus-first-invalid.ts'
import classes from './form.module.css'
import type { SingleForm } from './panel.ts'
import { PublishFoot } from './publish-foot.tsx'
import { usePlatformForm } from './use-platform-form.ts'

type Props<Value, Info> = { form: SingleForm<Value, Info>; accounts: readonly Account[] }

/** Publishes one video to one account now, on any platform. */
export function PlatformForm<Value, Info>({ form, accounts }: Props<Value, Info>) {
  const { panel } = form
  const { draft, account, check, fileFix, options, context, state, errors, ...actions } = usePlatformForm(
    form,
    accounts,
  )
  const element = useRef<HTMLFormElement>(null)
  const isUploading = state.kind === 'uploading'
  const hasOptions = options.kind === 'none' || options.kind === 'known'
  const coverMs = panel.coverMs(draft.value)

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!actions.submit()) focusFirstInvalid(event.currentTarget)
  }
  const discard = () => {
    actions.discard()
    element.current?.querySelector('input')?.focus()
  }
  return (
    <form className={classes.form} ref={element} onSubmit={submit} noValidate>
      <AccountSelect
        accounts={accounts}
        value={account?.account_id ?? null}
        onChange={(accountId) => actions.change({ accountId })}
        error={errors['accountId'] ?? null}
        disabled={isUploading}
      />
      {account !== null && <RemainingPosts account={account} needsOptions={panel.needsOptions} />}
      <VideoField
        label="Video file"
        file={draft.file}
        previousName={draft.filename}
        onChange={actions.chooseFile}
        check={check}
        coverMs={coverMs}
        help={form.fileHelp}
        error={errors[form.file.field] ?? null}
        disabled={isUploading}
        fix={<FileFix fileFix={fileFix} disabled={isUploading} />}
      />
      <panel.Fields
        value={draft.value}
        onChange={(value) => actions.change({ value })}
        errors={errors}
        disabled={isUploading}
        context={context}
      />
      {options.kind === 'pending' && <FieldsSkeleton heights={[36, 36, 36]} />}
      {options.kind === 'failed' && <AccountOptionsError error={options.error} onRetry={options.retry} />}
      <PublishFoot
        state={state}
        texts={form.texts}
        terms={panel.Terms && <panel.Terms />}
        label={`Publish to ${account === null ? PLATFORM_NAMES[panel.platform] : accountName(account)}`}
        // The page's one primary action is in the form that has a video.
        isPrimary={draft.file !== null}
        disabled={
          isUploading ||
          fileFix.isFixing ||
          check.kind === 'reading' ||
          !hasOptions ||
          (form.waitsForFile && draft.file === null)
        }
        onDiscard={draft.isTouched && !isUploading ? discard : null}
      />
    </form>
  )
}

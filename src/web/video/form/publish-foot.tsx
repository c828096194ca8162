import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Post } from '#contract/posts.ts'
import { PATHS } from '#web/lib/paths.ts'
import type { UploadState } from '#web/video/upload/upload-file.ts'
import { UploadStatus } from '#web/video/upload/upload-status.tsx'
import type { OutcomeTexts } from '#web/video/upload/use-upload.ts'
import { DraftNotice } from './draft-notice.tsx'
import classes from './form.module.css'

type Props = {
  state: UploadState<Post>
  texts: OutcomeTexts
  /** What must stand beside the button. */
  terms: ReactNode
  label: string
  isPrimary: boolean
  disabled: boolean
  /** Null: there is nothing to discard, or it is being sent. */
  onDiscard: (() => void) | null
}

/** The end of a form that publishes: the upload's status, the button and the draft. */
export function PublishFoot({ state, texts, terms, label, isPrimary, disabled, onDiscard }: Props) {
  return (
    <div className={classes.end}>
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
      <div className={classes.foot}>
        {terms}
        <Button type="submit" variant={isPrimary ? 'filled' : 'default'} disabled={disabled}>
          {label}
        </Button>
      </div>
      {onDiscard && <DraftNotice onDiscard={onDiscard} />}
    </div>
  )
}

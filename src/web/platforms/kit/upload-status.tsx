import type { ReactNode } from 'react'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { isUnanswered } from '#web/api/problem-reason.ts'
import { UploadProgress } from '#web/videos/upload-progress.tsx'
import type { OutcomeTexts } from '#web/videos/use-upload.ts'
import type { UploadState } from '#web/videos/uploads.ts'

type Props<T> = {
  /** Null: it was not sent yet. */
  state: UploadState<T> | null
  texts: OutcomeTexts<T>
  next?: ReactNode
  /** Stands beside the success text. */
  about?: (reply: T) => ReactNode
  /** The text after an interruption, such as "nothing was posted". */
  interrupted: string
  /** Advice where no response came, so that the server may have acted. */
  unanswered: ReactNode
}

/** The progress of a form's upload, then its outcome; only the outcome's text is an alert. */
export function UploadStatus<T>({ state, texts, next, about, interrupted, unanswered }: Props<T>) {
  if (state === null) return null
  switch (state.kind) {
    case 'pending':
    case 'checking':
    case 'asking':
    case 'fixing':
    case 'refused':
    case 'known':
    case 'unfixed':
      return null
    case 'uploading':
      return <UploadProgress upload={state} />
    case 'cancelled':
      return (
        <InlineAlert
          tone={state.mayHaveArrived ? 'attention' : 'note'}
          live={false}
          actions={state.mayHaveArrived ? next : undefined}
        >
          <span role="alert">{state.message}</span>
        </InlineAlert>
      )
    case 'done':
      return (
        <InlineAlert tone="note" live={false} actions={next}>
          <strong role="alert">{texts.success(state.reply)}</strong> {about?.(state.reply)}
        </InlineAlert>
      )
    case 'failed':
      return (
        <InlineAlert live={false}>
          <strong role="alert">{texts.failure(state.error)}</strong>
          {isUnanswered(state.error) && (
            <p>
              {state.mayHaveArrived ? (
                <>The server didn't answer, so it may have arrived. {unanswered}</>
              ) : (
                `The upload was interrupted; ${interrupted}. Check your connection and try again. If large files break off each time, use New post: it uploads in parts.`
              )}
            </p>
          )}
        </InlineAlert>
      )
  }
}

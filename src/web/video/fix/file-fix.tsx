import { Button } from '@mantine/core'
import { useEffect, useSyncExternalStore } from 'react'
import { planFix, type FixTarget } from '#domain/video-check/fix-plan.ts'
import { useStoreEntry } from '#web/session/browser-store.ts'
import type { VideoCheck } from '#web/video/file/use-video-check.ts'
import { FixStep } from './fix-step.tsx'
import classes from './fix-step.module.css'
import { useVideoFix } from './use-video-fix.ts'

type Chosen = {
  /** The form's; each has one fix at a time. */
  readonly name: string
  readonly file: File | null
  readonly check: VideoCheck
  readonly target: FixTarget
  readonly onFixed: (file: File) => void
}

/** The fix of a file that a form has chosen and not sent. */
export function useFileFix({ name, file, check, target, onFixed }: Chosen) {
  const fix = useVideoFix(name)
  // A store entry, because the fix may end while another screen is shown.
  const made = useStoreEntry<File | null>(`${name} fixed file`, null)
  const fixed = useSyncExternalStore(made.subscribe, made.get)
  useEffect(() => {
    if (fixed === null) return
    made.set(null)
    onFixed(fixed)
  })
  const facts = check.kind === 'known' ? check.facts : null
  const plan = file && facts && planFix(facts, file.size, [target])
  return {
    fix,
    isFixing: fix.state.kind === 'fixing',
    plan: fix.state.kind === 'idle' ? plan : null,
    start: async (): Promise<void> => {
      if (!file || !facts || !plan) return
      const copy = await fix.fix({ filename: file.name, source: file, facts, plan })
      if (copy !== null) made.set(copy)
    },
  }
}

type Props = { fileFix: ReturnType<typeof useFileFix>; disabled: boolean }

/** Offers to fix a chosen file, below what a platform says to it. */
export function FileFix({ fileFix: { fix, plan, start }, disabled }: Props) {
  return (
    <>
      {plan && (
        <div className={classes.offer}>
          <Button size="xs" variant="light" disabled={disabled} onClick={() => void start()}>
            Fix
          </Button>
          <span>Your browser can make it: {plan.changes.join(', ')}. Your own file stays as it is.</span>
        </div>
      )}
      {fix.state.kind !== 'idle' && <FixStep fix={fix} disabled={disabled} />}
    </>
  )
}

import { useMemo, useSyncExternalStore } from 'react'
import type { VideoFacts } from '#contract/videos.ts'
import type { FixPlan } from '#domain/video-check/fix-plan.ts'
import { queryClient } from '#web/api/queries.ts'
import { isNotLoaded } from '#web/ui/not-loaded.tsx'
import { onDraftsCleared } from '#web/lib/form-drafts.ts'
import { useStoreEntry, type StoreEntry } from '#web/session/browser-store.ts'
import { factsQuery } from './use-video-check.ts'
import type { FixJob, FixOutcome } from './convert.ts'

/** Share of the work that is done, and the remaining seconds if they can be estimated. */
export type FixProgress = { readonly share: number; readonly leftS: number | null }

type FixState =
  | { readonly kind: 'idle' }
  /** A chosen file would be refused. `problem`: why this browser cannot fix it, or why it failed. */
  | {
      readonly kind: 'asked'
      readonly plan: FixPlan
      readonly problem: string | null
      readonly canTry: boolean
      readonly answer: (answer: Answer) => void
    }
  | {
      readonly kind: 'fixing'
      readonly filename: string
      readonly progress: FixProgress
      readonly cancel: () => void
      readonly abandon: () => void
    }
  /** A stored video stays as it is. */
  | { readonly kind: 'failed'; readonly why: string }

type Answer = 'fix' | 'as it is' | 'abandon'

/** What would have to change before a file is uploaded; null: nothing, or nothing can be done. */
export type PlanFile = (facts: VideoFacts, size: number) => FixPlan | null

const IDLE: FixState = { kind: 'idle' }

export type VideoFix = ReturnType<typeof useVideoFix>

/** The fix of one form's video. It goes on while another screen is shown. @param name each has one at a time */
export function useVideoFix(name: string) {
  const entry = useStoreEntry<FixState>(`${name} fix`, IDLE)
  const state = useSyncExternalStore(entry.subscribe, entry.get)
  const actions = useMemo(() => actionsOn(entry), [entry])
  return { state, ...actions }
}

function actionsOn(entry: StoreEntry<FixState>) {
  const abandon = (): void => {
    const state = entry.get()
    entry.set(IDLE)
    if (state.kind === 'asked') state.answer('abandon')
    if (state.kind === 'fixing') state.abandon()
  }
  return {
    /** Asks what to do about a file that would be refused. @returns what to upload; null: another file was chosen. */
    prepare: async (file: File, planFile: PlanFile): Promise<File | null> => {
      abandon()
      import('./fixed-files.ts').then(
        ({ removeAbandonedFiles }) => removeAbandonedFiles(),
        () => undefined, // the next one removes them
      )
      const facts = await queryClient.fetchQuery(factsQuery(file)).catch(() => null)
      const plan = facts && planFile(facts, file.size)
      return plan ? askAndFix(entry, { filename: file.name, source: file, facts, plan }) : file
    },
    /** @returns the new video, once it is made; null: it is not */
    fix: async (job: FixJob): Promise<File | null> => {
      abandon()
      const outcome = await run(entry, job)
      if (outcome.kind === 'fixed') return outcome.file
      if (outcome.kind === 'failed') entry.set({ kind: 'failed', why: outcome.why })
      return null
    },
    abandon,
    /** Once what was made is being uploaded. */
    clear: () => entry.set(IDLE),
  }
}

async function askAndFix(entry: StoreEntry<FixState>, job: FixJob & { source: File }): Promise<File | null> {
  const obstacle = await import('./obstacle.ts')
    .then(({ findObstacle }) => findObstacle(job.plan, job.facts))
    .catch(whyNotLoaded)
  let problem = obstacle
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    entry.set({ kind: 'asked', plan: job.plan, problem, canTry: obstacle === null, answer: resolve })
    const answer = await promise
    if (answer === 'abandon') return null
    entry.set(IDLE)
    if (answer === 'as it is') return job.source
    const outcome = await run(entry, job)
    if (outcome.kind === 'fixed') return outcome.file
    if (outcome.kind === 'abandoned') return null
    problem = outcome.kind === 'failed' ? outcome.why : null
  }
}

/** An estimate of the first second would be a guess. */
const ESTIMATE_AFTER_MS = 1000

/** `abandoned`: nobody waits for it any more. */
async function run(
  entry: StoreEntry<FixState>,
  job: FixJob,
): Promise<FixOutcome | { readonly kind: 'abandoned' }> {
  const controller = new AbortController()
  let isAbandoned = false
  const startedAt = performance.now()
  const report = (share: number) => {
    if (controller.signal.aborted) return
    const elapsedMs = performance.now() - startedAt
    const leftS =
      share > 0 && elapsedMs > ESTIMATE_AFTER_MS ? ((elapsedMs / share) * (1 - share)) / 1000 : null
    entry.set({
      kind: 'fixing',
      filename: job.filename,
      progress: { share, leftS },
      cancel: () => controller.abort(),
      abandon: () => {
        isAbandoned = true
        controller.abort()
      },
    })
  }
  report(0)
  running.add(controller)
  window.addEventListener('beforeunload', confirmUnload)
  const outcome = await import('./fix-in-background.ts')
    .then(({ fixInBackground }) => fixInBackground(job, { signal: controller.signal, onProgress: report }))
    .catch((error: unknown): FixOutcome => ({ kind: 'failed', why: whyNotLoaded(error) }))
    .finally(() => {
      running.delete(controller)
      if (running.size === 0) window.removeEventListener('beforeunload', confirmUnload)
    })
  if (isAbandoned) return { kind: 'abandoned' }
  entry.set(IDLE)
  return outcome
}

/** What fixes videos is loaded when it is needed. */
function whyNotLoaded(error: unknown): string {
  if (!isNotLoaded(error)) throw error
  return "This page couldn't load what it fixes videos with. Check your connection, or reload the page."
}

const running = new Set<AbortController>()
// Nobody who logs out waits for them any more.
onDraftsCleared(() => {
  for (const controller of running) controller.abort()
})
const confirmUnload = (event: BeforeUnloadEvent): void => event.preventDefault()

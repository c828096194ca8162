import type { Draft, DraftContent } from '#contract/drafts.ts'
import { ApiProblem } from '#web/api/api.ts'
import { onDraftsCleared } from '#web/lib/form-drafts.ts'
import { createStoreEntry, type StoreEntry } from '#web/session/browser-store.ts'

/** A draft's content, the version that it was made from (0: none is saved), and whether it was changed since. */
export type StoredEdit = { readonly version: number; readonly content: DraftContent }

/** The server or the browser, where a draft is saved. */
export type DraftPlace = {
  /** The user who owns the draft. */
  readonly uid: string
  readonly draftId: string
  /** @throws {ApiProblem} conflict where another version is stored; not_found where the draft is gone */
  readonly save: (edit: StoredEdit) => Promise<Draft>
  /** null: the draft is gone. */
  readonly load: () => Promise<Draft | null>
  /** Keeps an edit in the browser until it is saved; null removes it. */
  readonly keep: (edit: StoredEdit | null) => void
}

export type SaveState =
  | { readonly kind: 'unsaved' | 'saving' }
  /** `at`: when it was saved; null: it was read like this. */
  | { readonly kind: 'saved'; readonly at: string | null }
  /** It is kept in the browser, and tried again. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** Another tab has saved another version; null: has published or deleted it. */
  | { readonly kind: 'conflict'; readonly theirs: Draft | null }

const DEBOUNCE_MS = 1_000
const RETRY_MS = 5_000

/** Savers whose draft has changes that are not saved, perhaps after their screen was left. */
const unsaved = new Set<DraftSaver>()

// Another user who logs in here must not get this one's draft.
onDraftsCleared((exceptUid) => {
  for (const saver of unsaved) if (saver.uid !== exceptUid) saver.stop()
})

/** Saves a draft a moment after each change, one call at a time. */
export class DraftSaver {
  readonly state: StoreEntry<SaveState>
  readonly #place: DraftPlace
  #version: number
  #content: DraftContent
  /** The stored content as JSON; null: it is not known here. */
  #saved: string | null
  #savedAt: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | null = null
  #isStopped = false
  #isWorthSaving: boolean

  /** Saves nothing before `change`: React may make a second one and drop it. */
  constructor(place: DraftPlace, { version, content }: StoredEdit, isChanged: boolean) {
    const isSaved = version > 0 && !isChanged
    this.#place = place
    this.#version = version
    this.#content = content
    this.#isWorthSaving = isChanged
    this.#saved = isSaved ? JSON.stringify(content) : null
    this.state = createStoreEntry<SaveState>(isSaved ? { kind: 'saved', at: null } : { kind: 'unsaved' })
  }

  /** @param isWorthSaving whether it is to be saved although nothing was before */
  change(content: DraftContent, isWorthSaving: boolean): void {
    this.#content = content
    this.#isWorthSaving = isWorthSaving
    if (this.#isStopped) return
    const needsSaving = this.#needsSaving()
    this.#place.keep(needsSaving ? { version: this.#version, content } : null)
    if (this.state.get().kind === 'conflict') return
    clearTimeout(this.#timer)
    if (this.#running === null) this.#showWhetherSaved()
    if (!needsSaving) return
    unsaved.add(this)
    this.#saveLater(DEBOUNCE_MS)
  }

  /**
   * Saves what is not saved. @param isWanted it is saved although nothing was changed @returns the saved version; null: it
   * could not be saved
   */
  async flush(isWanted = false): Promise<{ draft_id: string; version: number } | null> {
    if (isWanted) this.#isWorthSaving = true
    await this.#save()
    // A save that was running has not seen the last change.
    if (!this.#isSaved()) await this.#save()
    return this.#isSaved() ? { draft_id: this.#place.draftId, version: this.#version } : null
  }

  /** Looks again at what is stored; shows a conflict where it is not what this tab has saved. */
  async recheck(): Promise<void> {
    const theirs = await this.#load()
    if (theirs === undefined || theirs?.version === this.#version) return
    this.state.set({ kind: 'conflict', theirs })
  }

  /** Settles a conflict: saves what this tab has over what is stored. */
  async keepMine(): Promise<void> {
    const now = this.state.get()
    if (now.kind !== 'conflict' || now.theirs === null) return
    this.#version = now.theirs.version
    this.state.set({ kind: 'unsaved' })
    await this.#save()
  }

  /** Stops saving, and forgets what the browser keeps: the draft is published, or its content is replaced. */
  stop(): void {
    this.#isStopped = true
    unsaved.delete(this)
    clearTimeout(this.#timer)
    this.#place.keep(null)
  }

  get uid(): string {
    return this.#place.uid
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  #isSaved = (): boolean => this.#saved === JSON.stringify(this.#content)

  #needsSaving(): boolean {
    return !this.#isSaved() && (this.#version > 0 || this.#isWorthSaving)
  }

  #saveLater(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#save(), ms)
  }

  #save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#running ??= this.#saveAll().finally(() => (this.#running = null))
    return this.#running
  }

  /** Also what changes meanwhile. */
  async #saveAll(): Promise<void> {
    while (!this.#isStopped && this.#needsSaving() && this.state.get().kind !== 'conflict') {
      const sent = this.#content
      this.state.set({ kind: 'saving' })
      try {
        this.#accept(await this.#place.save({ version: this.#version, content: sent }), sent)
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error
        return this.#showRefusal(error)
      }
    }
  }

  #accept(draft: Draft, sent: DraftContent): void {
    this.#version = draft.version
    this.#saved = JSON.stringify(sent)
    this.#savedAt = draft.updated_at
    if (this.#isSaved()) {
      unsaved.delete(this)
      this.#place.keep(null)
    }
    this.#showWhetherSaved()
  }

  #showWhetherSaved(): void {
    this.state.set(this.#isSaved() ? { kind: 'saved', at: this.#savedAt } : { kind: 'unsaved' })
  }

  async #showRefusal(error: ApiProblem): Promise<void> {
    const { code, kind } = error
    if (code === 'conflict' || (code === 'not_found' && this.#version > 0)) {
      const theirs = await this.#load()
      // Nothing stored under a new draft's id: it was refused for another reason.
      if (theirs !== undefined && (theirs !== null || this.#version > 0))
        return this.state.set({ kind: 'conflict', theirs })
    }
    this.state.set({ kind: 'failed', error })
    // Another try cannot help where the server has read it and refused.
    if (kind !== 'refused' || code === 'unavailable') this.#saveLater(RETRY_MS)
  }

  /** undefined: it could not be read. */
  #load = (): Promise<Draft | null | undefined> => this.#place.load().catch(() => undefined)
}

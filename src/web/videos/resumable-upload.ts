import type { UploadId } from '#contract/ids.ts'
import type { Upload } from '#contract/uploads.ts'
import type { Video } from '#contract/videos.ts'
import { ApiProblem, call, signerOfNow } from '#web/api/api.ts'
import { delay } from '#web/lib/delay.ts'
import { formatBytes } from '#web/lib/amounts.ts'
import {
  findRememberedUpload,
  computeFingerprint,
  isReadable,
  openTabMessages,
  rememberUpload,
  forgetUpload,
  type TabMessage,
} from './known-uploads.ts'
import {
  attemptUpload,
  canSendSmaller,
  deleteUpload,
  partBytes,
  reactionTo,
  sendSmaller,
  type Reaction,
} from './tus-requests.ts'
import type { Progress, ShownUpload, UploadPhase, UploadPlace } from './uploads.ts'

/** `arrived`: the data that a cancelled upload left on the server, as far as the server could be asked. */
export type UploadEnd =
  | { readonly kind: 'stored'; readonly video: Video }
  | { readonly kind: 'failed'; readonly error: Error }
  | {
      readonly kind: 'cancelled'
      readonly arrived: 'nothing' | 'parts' | 'all' | 'stored' | 'cancelled elsewhere'
    }

/** Tests shorten these times. */
export const TIMING = {
  /** After this long without progress, the upload is shown as waiting for the network. */
  stalledMs: 8_000,
  /** After this long without progress, the request is aborted and sent again. */
  reconnectMs: 30_000,
  /** The same after all bytes of a request have arrived: the server may take longer to answer. */
  answerMs: 60_000,
  checkMs: 1_000,
  askMs: 30_000,
  /** The progress of an upload in another tab is polled, and taken over after this long without progress. */
  pollMs: 3_000,
  takeOverMs: 15_000,
  deleteMs: 10_000,
}

/** The note after a break in which sent bytes were lost. */
const sentAgain = (bytes: number): string =>
  `The last ${formatBytes(bytes)} had not arrived and are sent again.`
/** The note while the server does not have all bytes that the browser has sent. */
const stillOnTheWay = (bytes: number): string => `${formatBytes(bytes)} are still on their way.`
export const SENT_SMALLER =
  'Something between this page and the server cuts off large parts of the video, so smaller ones are sent.'
export const SMALL_CUT_OFF =
  'Something between this page and the server cuts off even small parts of the video. Contact the person who runs this server.'
export const FROM_THE_START = 'The server no longer has what was sent before, so all of it is sent again.'
export const CONTINUED = 'Continued from where it stopped.'
const UNREADABLE = "The file can't be read any more: it was changed, moved or removed. Choose it again."

type SentPart = { readonly offset: number; readonly bytes: number }

type Intent = 'send' | 'pause' | 'watch' | 'cancel' | 'end'

/**
 * One file on its way over tus, until it is stored, refused or cancelled: a lost network, a restarted server and a reload of the
 * page only delay it.
 */
export class ResumableUpload {
  readonly #file: File
  readonly #place: string
  readonly #uid: string
  readonly #onChange: (shown: ShownUpload) => void
  readonly #signer = signerOfNow()
  readonly #progress: ReturnType<typeof measureProgress>
  readonly #tabs = openTabMessages((message) => this.#heard(message))
  #intent: Intent = 'send'
  /** Aborted when the intent changes or the connection is given up. */
  #step = new AbortController()
  #uploadId: UploadId | null = null
  #fingerprint = ''
  #phase: UploadPhase = 'sending'
  #note: { readonly text: string; readonly until: number } | null = null
  #waitsFor: string | null = null
  /** Attempts in a row without progress. */
  #failures = 0
  #unauthorized = 0
  #mustRenew = false
  #movedAt = 0
  #confirmed = 0
  /** The part on its way: where it begins, and its bytes. */
  #part: SentPart | null = null
  /** A part that was lost on the way. If nothing of it arrived although the server can be asked, the next one is smaller. */
  #lost: SentPart | null = null
  /** The note while parts are lost at the same offset; null: the last part arrived. */
  #cutOff: string | null = null
  /** The server has stored at least this many bytes. */
  #arrived = 0
  #lookedAt = 0

  constructor(
    file: File,
    { id, uid }: Pick<UploadPlace, 'id' | 'uid'>,
    onChange: (shown: ShownUpload) => void,
  ) {
    this.#file = file
    this.#place = id
    this.#uid = uid
    this.#onChange = onChange
    this.#progress = measureProgress(file.size)
  }

  /** Call once. Expected failures do not reject. */
  async run(): Promise<UploadEnd> {
    this.#show('sending')
    const steps: Record<Intent, (signal: AbortSignal) => Promise<UploadEnd | null>> = {
      send: (signal) => this.#send(signal),
      pause: (signal) => this.#stayPaused(signal),
      watch: (signal) => this.#watch(signal),
      cancel: () => this.#delete(),
      end: () => Promise.resolve({ kind: 'cancelled', arrived: 'cancelled elsewhere' }),
    }
    try {
      if (!(await this.#recognise())) return failed(UNREADABLE)
      for (;;) {
        this.#step = new AbortController()
        const ended = await steps[this.#intent](this.#step.signal)
        if (ended === null) continue
        // After a failure the same file can be tried again, and continues.
        if (this.#uploadId !== null && ended.kind !== 'failed') forgetUpload(this.#uid, this.#uploadId)
        return ended
      }
    } finally {
      this.#tabs.close()
    }
  }

  pause(): void {
    this.#turnTo('pause')
  }

  /** Continues after a pause, or takes the upload over from another tab. */
  resume(): void {
    this.#turnTo('send')
  }

  cancel(): void {
    this.#turnTo('cancel')
  }

  #turnTo(intent: Intent): void {
    if (this.#intent === intent || this.#intent === 'cancel' || this.#intent === 'end') return
    this.#intent = intent
    this.#step.abort()
  }

  #heard({ uploadId, what }: TabMessage): void {
    if (uploadId !== this.#uploadId) return
    if (what === 'taken') this.#turnTo('watch')
    else if (what === 'cancelled') this.#turnTo('end')
    else if (this.#intent === 'watch') this.#turnTo('pause')
  }

  #tell(what: TabMessage['what']): void {
    if (this.#uploadId !== null) this.#tabs.tell({ uploadId: this.#uploadId, what })
  }

  #show(phase: UploadPhase = this.#phase): void {
    this.#phase = phase
    const progress = this.#progress.get()
    if (this.#note !== null && progress.sent >= this.#note.until) this.#note = null
    const isMoving = phase === 'sending'
    this.#onChange({
      progress: isMoving ? progress : { ...progress, leftS: null },
      phase,
      note: phase === 'waiting' ? this.#waitsFor : isMoving ? (this.#note?.text ?? null) : null,
    })
  }

  /** @returns whether the file can be read */
  async #recognise(): Promise<boolean> {
    try {
      this.#fingerprint = await computeFingerprint(this.#file)
    } catch {
      return false
    }
    this.#uploadId = findRememberedUpload(this.#uid, this.#fingerprint)
    return true
  }

  async #send(signal: AbortSignal): Promise<UploadEnd | null> {
    this.#part = null
    try {
      const before = await this.#ask(signal)
      if (before?.video) return { kind: 'stored', video: before.video }
      if (this.#lost !== null && before?.offset === this.#lost.offset) this.#shrink(this.#lost.bytes)
      this.#lost = null
      await this.#transfer(signal)
      const after = await this.#ask(signal)
      if (after?.video) return { kind: 'stored', video: after.video }
      // It was stored and deleted since.
      if (after !== null) this.#startAgain()
      return null
    } catch (error) {
      if (!signal.aborted) return this.#react(reactionTo(error), signal)
      // With another intent, the user paused or cancelled the upload, so nothing was lost.
      if (this.#intent === 'send') this.#lost = this.#part
      return null
    }
  }

  /** Asks the server for the upload; null: it has none yet, or no longer. */
  async #ask(signal: AbortSignal): Promise<Upload | null> {
    if (this.#uploadId === null) return null
    const params = { uploadId: this.#uploadId }
    try {
      const upload = await call('getUpload', { params, signal, timeoutMs: TIMING.askMs })
      if (upload.size === this.#file.size) return upload
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    this.#startAgain()
    return null
  }

  #startAgain(): void {
    if (this.#uploadId !== null) forgetUpload(this.#uid, this.#uploadId)
    this.#uploadId = null
    this.#confirmed = this.#arrived = 0
    const before = this.#progress.get().sent
    this.#progress.continueFrom(0)
    if (before > 0) this.#note = { text: FROM_THE_START, until: before }
  }

  #shrink(lostBytes: number): void {
    this.#cutOff = canSendSmaller() ? SENT_SMALLER : SMALL_CUT_OFF
    sendSmaller(lostBytes)
    this.#note = { text: this.#cutOff, until: this.#confirmed + partBytes() }
  }

  #beginPart(offset: number): void {
    this.#part = { offset, bytes: Math.min(partBytes(), this.#file.size - offset) }
  }

  async #transfer(signal: AbortSignal): Promise<void> {
    this.#tell('taken')
    this.#movedAt = performance.now()
    const timer = setInterval(() => this.#checkStall(signal), TIMING.checkMs)
    let isFirst = true
    try {
      await attemptUpload({
        file: this.#file,
        uploadId: this.#uploadId,
        headers: () => this.#sign(),
        signal,
        onCreated: (uploadId) => {
          this.#uploadId = uploadId
          rememberUpload(this.#uid, { fingerprint: this.#fingerprint, uploadId, place: this.#place })
          this.#beginPart(0)
        },
        onConfirmed: (offset) => {
          this.#confirm(offset, isFirst)
          isFirst = false
        },
        onSent: (bytes) => {
          if (bytes > this.#progress.get().sent) this.#movedAt = performance.now()
          this.#progress.report(bytes)
          this.#show('sending')
        },
      })
    } finally {
      clearInterval(timer)
    }
  }

  /** A refused token is renewed once. */
  async #sign(): Promise<Record<string, string>> {
    const headers = await this.#signer.headers(this.#mustRenew)
    this.#mustRenew = false
    return headers
  }

  #confirm(offset: number, isFirst: boolean): void {
    this.#movedAt = performance.now()
    if (offset > this.#confirmed) this.#failures = this.#unauthorized = 0
    if (offset > this.#confirmed || offset === this.#file.size) this.#cutOff = null
    this.#beginPart(offset)
    const wasKnown = this.#confirmed > 0 || this.#progress.get().sent > 0
    this.#confirmed = this.#arrived = offset
    if (!isFirst) return this.#progress.report(offset)
    const shown = this.#progress.get().sent
    this.#progress.continueFrom(offset)
    if (this.#cutOff !== null) this.#note = { text: this.#cutOff, until: offset + partBytes() }
    else if (shown > offset) this.#note = { text: sentAgain(shown - offset), until: shown }
    else if (!wasKnown && offset > 0)
      this.#note = { text: CONTINUED, until: offset + this.#file.size * CONTINUED_SHARE }
    this.#show('sending')
  }

  #checkStall(signal: AbortSignal): void {
    const now = performance.now()
    const idleMs = now - this.#movedAt
    const { sent, total } = this.#progress.get()
    const partEnd = Math.min(this.#confirmed + partBytes(), total)
    if (idleMs > (this.#arrived >= partEnd ? TIMING.answerMs : TIMING.reconnectMs)) this.#step.abort()
    else if (idleMs <= TIMING.stalledMs) return
    else if (sent >= partEnd && now - this.#lookedAt > TIMING.pollMs) {
      this.#lookedAt = now
      void this.#lookWhatArrived(signal)
    } else if (sent < partEnd && this.#phase === 'sending') {
      this.#waitsFor = this.#cutOff
      this.#show('waiting')
    }
  }

  /** Browsers report bytes as sent that are still in buffers on the way, of which a buffering proxy has many. */
  async #lookWhatArrived(signal: AbortSignal): Promise<void> {
    if (this.#uploadId === null) return
    const params = { uploadId: this.#uploadId }
    // If the server cannot be asked, the upload's own request tells soon.
    const upload = await call('getUpload', { params, signal, timeoutMs: TIMING.askMs }).catch(() => null)
    if (upload === null || signal.aborted) return
    if (upload.offset > this.#arrived) this.#movedAt = performance.now()
    this.#arrived = Math.max(this.#arrived, upload.offset)
    const { sent } = this.#progress.get()
    this.#waitsFor = stillOnTheWay(sent - this.#arrived)
    this.#show(this.#arrived < sent ? 'waiting' : 'sending')
  }

  async #react(reaction: Reaction, signal: AbortSignal): Promise<UploadEnd | null> {
    switch (reaction.kind) {
      case 'wait':
        // A browser reports a file that it cannot read as a lost network.
        if (!(await isReadable(this.#file))) return failed(UNREADABLE)
        this.#failures++
        if (reaction.mayBeTooLarge) this.#lost = this.#part
        this.#waitsFor = reaction.note ?? this.#cutOff
        this.#show('waiting')
        await waitForNetwork(Math.max(reaction.afterS ?? 0, backOffS(this.#failures)) * 1000, signal)
        return null
      case 'renew':
        this.#mustRenew = true
        if (++this.#unauthorized < 2) return null
        if (reaction.error.code === 'unauthorized') this.#signer.refused()
        return { kind: 'failed', error: reaction.error }
      case 'displaced':
        this.#turnTo('watch')
        return null
      case 'smaller':
        if (!canSendSmaller()) return { kind: 'failed', error: reaction.error }
        this.#shrink(this.#part?.bytes ?? partBytes())
        return null
      case 'refused':
        return { kind: 'failed', error: reaction.error }
    }
  }

  async #stayPaused(signal: AbortSignal): Promise<null> {
    this.#tell('paused')
    this.#show('paused')
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return null
  }

  /** Follows the tab or device that sends the file, and takes over when its progress stops. */
  async #watch(signal: AbortSignal): Promise<UploadEnd | null> {
    const uploadId = this.#uploadId
    if (uploadId === null) throw new Error('Only an upload that the server knows can be watched.')
    let [offset, movedAt] = [-1, performance.now()]
    this.#show('elsewhere')
    while (!signal.aborted) {
      try {
        const upload = await call('getUpload', { params: { uploadId }, signal, timeoutMs: TIMING.askMs })
        if (upload.video) return { kind: 'stored', video: upload.video }
        if (upload.offset > offset) {
          ;[offset, movedAt] = [upload.offset, performance.now()]
          this.#progress.continueFrom(offset)
          this.#show('elsewhere')
        } else if (performance.now() - movedAt > TIMING.takeOverMs) this.#turnTo('send')
      } catch (error) {
        if (signal.aborted) break
        if (isNotFound(error)) return { kind: 'cancelled', arrived: 'cancelled elsewhere' }
        const reaction = reactionTo(error)
        if (reaction.kind === 'refused') return { kind: 'failed', error: reaction.error }
      }
      await waitForNetwork(TIMING.pollMs, signal)
    }
    return null
  }

  /** Deletes the arrived bytes. If all were sent, first finds out whether the video was stored. */
  async #delete(): Promise<UploadEnd> {
    const { sent, total } = this.#progress.get()
    this.#show('cancelling')
    const uploadId = this.#uploadId
    if (uploadId === null) return { kind: 'cancelled', arrived: 'nothing' }
    this.#tell('cancelled')
    try {
      if (sent >= total && (await this.#isStored(uploadId))) return { kind: 'cancelled', arrived: 'stored' }
      const late = delay(TIMING.deleteMs).then(() => Promise.reject(new Error('Deleting took too long.')))
      await Promise.race([deleteUpload(uploadId, () => this.#sign()), late])
      return { kind: 'cancelled', arrived: 'nothing' }
    } catch {
      return { kind: 'cancelled', arrived: sent >= total ? 'all' : 'parts' }
    }
  }

  /** The last bytes may be on their way into the video. */
  async #isStored(uploadId: UploadId): Promise<boolean> {
    const { signal } = new AbortController()
    for (const end = performance.now() + TIMING.deleteMs; performance.now() < end;) {
      const asked = await call('getUpload', { params: { uploadId }, timeoutMs: TIMING.deleteMs })
      if (asked.offset < asked.size || asked.video !== null) return asked.video !== null
      await waitForNetwork(TIMING.checkMs, signal)
    }
    throw new Error('The server has all of it and has not said what became of it.')
  }
}

/** The note "Continued" disappears after this share of the file. */
const CONTINUED_SHARE = 0.1

const failed = (message: string): UploadEnd => ({
  kind: 'failed',
  error: new ApiProblem({ kind: 'refused', message }),
})

const isNotFound = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'not_found'

const WINDOW_MS = 10_000
const MIN_SPAN_MS = 1_500

/** Counts confirmed bytes and bytes under way, and estimates the time left from the rate of the last seconds. */
function measureProgress(total: number) {
  let sent = 0
  let samples: { readonly at: number; readonly sent: number }[] = []
  return {
    /** Bytes that arrived or are under way. */
    report(bytes: number): void {
      const at = performance.now()
      sent = Math.min(Math.max(bytes, 0), total)
      samples = [...samples.filter((sample) => sample.at >= at - WINDOW_MS), { at, sent }]
    },
    /** Forgets the samples, because a break says nothing about the rate. */
    continueFrom(offset: number): void {
      samples = []
      sent = Math.min(offset, total)
    },
    get: (): Progress => ({ sent, total, leftS: secondsLeft(samples, total) }),
  }
}

function secondsLeft(samples: readonly { at: number; sent: number }[], total: number): number | null {
  const [first, last] = [samples.at(0), samples.at(-1)]
  if (!first || !last || last.at - first.at < MIN_SPAN_MS || last.sent <= first.sent) return null
  return ((total - last.sent) / (last.sent - first.sent)) * ((last.at - first.at) / 1000)
}

/** Resolves after a time, when the browser is online again, or when the signal aborts: whatever comes first. */
function waitForNetwork(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = () => resolve()
  if (signal.aborted) done()
  const timer = setTimeout(done, ms)
  signal.addEventListener('abort', done, { once: true })
  window.addEventListener('online', done)
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', done)
    window.removeEventListener('online', done)
  })
}

const BACK_OFF_S = [1, 2, 4, 8, 15, 30] as const

/** Seconds until the next attempt, spread so that not all uploads of a page come back at once. */
const backOffS = (failures: number): number =>
  (BACK_OFF_S[Math.min(failures, BACK_OFF_S.length) - 1] ?? 1) * (0.75 + Math.random() / 2)

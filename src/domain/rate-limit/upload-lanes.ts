/** These limits hold across all workers, so the database counts them. */
export const UPLOAD_LIMITS = {
  /** A second upload would only hold an open upload address while it waits for the first one's publish call. */
  perAccount: 1,
  perUser: 8,
  perPlatform: 32,
} as const

/** An upload that waits for a lane. `resumes`: its upload address is open already and expires. */
export type Candidate = {
  readonly deliveryId: number
  readonly userId: number
  readonly accountId: number
  readonly bytes: number
  readonly resumes: boolean
  readonly waitedS: number
}

export type Running = { readonly userId: number; readonly bytesLeft: number; readonly elapsedS: number }

/** `bytesPerS`: all uploads of this process together. `lifeS`: the lifetime of an upload address. */
export type Uplink = {
  readonly bytesPerS: number
  readonly isMeasured: boolean
  readonly lifeS: number
  /** Bytes of open addresses that receive nothing now, for example between two tries. */
  readonly openBytes: number
}

export type Waiting = {
  readonly deliveryId: number
  readonly why: 'lane' | 'account' | 'uplink'
  /** Seconds until it is expected to begin; null: unknown. */
  readonly inS: number | null
}

/** One user may use half of the lanes that the others leave, so that the next user always finds one. */
export const maxLanesPerUser = (lanes: number, usedByOthers: number): number =>
  Math.ceil(Math.max(lanes - usedByOthers, 0) / 2)

/** Large uploads are planned for half of an address's life: lines get slower, and setbacks cost time. */
const PLANNED_SHARE = 0.5
const LATEST_SHARE = 0.8
/** An upload of less than a minute hardly delays others, and may use nearly all of an address's life. */
const SMALL_S = 60
const LATEST_SHARE_OF_SMALL = 0.95

/** A large upload that has waited this long lets no other large one pass: it would never begin. */
const MAX_PASSED_S = 900

const isSmall = (bytes: number, { bytesPerS }: Uplink): boolean => bytes <= bytesPerS * SMALL_S

/**
 * True when every upload still ends in time if `next` begins now. They share one uplink, so in the worst case all end
 * together. A large one beside only small ones always begins: it is as good as alone.
 */
export function fitsUplink(
  running: readonly Running[],
  next: { readonly bytes: number },
  uplink: Uplink,
): boolean {
  const before = running.reduce((sum, { bytesLeft }) => sum + bytesLeft, uplink.openBytes)
  const oldestS = Math.max(0, ...running.map(({ elapsedS }) => elapsedS))
  const endS = (before + next.bytes) / uplink.bytesPerS
  if (isSmall(next.bytes, uplink)) {
    const isTooLateAnyway = oldestS + before / uplink.bytesPerS > uplink.lifeS
    return isTooLateAnyway || oldestS + endS <= uplink.lifeS * LATEST_SHARE_OF_SMALL
  }
  if (running.every(({ bytesLeft }) => isSmall(bytesLeft, uplink)) && isSmall(uplink.openBytes, uplink))
    return true
  return endS <= uplink.lifeS * PLANNED_SHARE && oldestS + endS <= uplink.lifeS * LATEST_SHARE
}

/** An upload that would outlast its address even alone on the uplink. */
export const outlastsAddress = (bytes: number, uplink: Pick<Uplink, 'bytesPerS' | 'lifeS'>): boolean =>
  bytes / uplink.bytesPerS > uplink.lifeS

type Pool = {
  readonly lanes: number
  readonly running: readonly Running[]
  readonly uplink: Uplink
  readonly everywhere: readonly { readonly userId: number; readonly accountId: number }[]
}

/** Decides which due uploads begin now, and what the others wait for. `due` is in the order in which they should begin. */
export function admitUploads(
  due: readonly Candidate[],
  pool: Pool,
): { readonly starting: readonly Candidate[]; readonly waiting: readonly Waiting[] } {
  const starting: Candidate[] = []
  const waiting: Waiting[] = []
  const running = [...pool.running]
  const everywhere = [...pool.everywhere]
  let isReserved = false
  let ahead = running.reduce((sum, { bytesLeft }) => sum + bytesLeft, pool.uplink.openBytes)
  for (const one of due) {
    const why = whatStops(one)
    if (why === null) {
      starting.push(one)
      running.push({ userId: one.userId, bytesLeft: one.bytes, elapsedS: 0 })
      everywhere.push(one)
    } else {
      const inS =
        pool.uplink.isMeasured && why === 'uplink' ? Math.round(ahead / pool.uplink.bytesPerS) : null
      waiting.push({ deliveryId: one.deliveryId, why, inS })
    }
    ahead += one.bytes
  }
  return { starting, waiting }

  function whatStops(one: Candidate): Waiting['why'] | null {
    const count = (which: (other: { userId: number; accountId: number }) => boolean) =>
      everywhere.filter(which).length
    if (count(({ accountId }) => accountId === one.accountId) >= UPLOAD_LIMITS.perAccount) return 'account'
    if (running.length >= pool.lanes || everywhere.length >= UPLOAD_LIMITS.perPlatform) return 'lane'
    const own = running.filter(({ userId }) => userId === one.userId).length
    if (own >= maxLanesPerUser(pool.lanes, running.length - own)) return 'lane'
    if (count(({ userId }) => userId === one.userId) >= UPLOAD_LIMITS.perUser) return 'lane'
    if (one.resumes) return null
    if (isReserved && !isSmall(one.bytes, pool.uplink)) return 'uplink'
    if (fitsUplink(running, one, pool.uplink)) return null
    isReserved ||= one.waitedS >= MAX_PASSED_S
    return 'uplink'
  }
}

import { DeliveryChange, type DeliveryEvent, type NotificationsChange } from '#contract/deliveries.ts'
import type { Bus } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { listEvents, selectDeliveries, toDelivery } from '../deliveries/read.ts'

export type Stream = {
  /** Never throws; a broken stream ends itself. All streams of a user receive the same buffer. */
  write(frames: Buffer): void
  /** Reads missed events when it is this user's turn. */
  inTurn(read: () => Promise<void>): Promise<void>
  check(): void
  /** Ends after the written bytes, if they are read soon. */
  end(): void
}

export type Streams = {
  /**
   * Subscribes the stream to the user's changes after `lastEventId`. Returns the unsubscribe function; `null`: the user has
   * too many streams.
   */
  join(userId: number, stream: Stream, lastEventId: number | null): (() => void) | null
  endAll(): void
  close(): void
}

export const STREAMS_PER_USER = 10
/** Changes within this time are sent together, which bounds the queries of a burst. */
const COLLECT_MS = 250
/** With more changes the streams end: reconnecting clients reload their lists, which is cheaper. */
const SENT_MAX = 500
/** A client that missed more reconnects for the rest. */
const REPLAYED_MAX = 100
/** A stream with more unread bytes ends. */
export const UNREAD_MAX_BYTES = 1_048_576

/** Makes clients reload their notifications. */
const NOTIFICATIONS_FRAME = Buffer.from(
  `data: ${JSON.stringify({ notifications: 'changed' } satisfies NotificationsChange)}\n\n`,
)

/** `null`: only the delivery's progress changed. */
type Changes = Map<number, number | null>
type UserStreams = {
  readonly streams: Set<Stream>
  changes: Changes
  isReading: boolean
  timer: NodeJS.Timeout | null
}

const newUserStreams = (): UserStreams => ({
  streams: new Set(),
  changes: new Map(),
  isReading: false,
  timer: null,
})

/** Reads each change once for all streams of its user in this process. */
export function createStreams(
  { db, bus }: { readonly db: Db; readonly bus: Pick<Bus, 'onNews' | 'onGap'> },
  onError: (error: unknown) => void,
): Streams {
  const byUser = new Map<number, UserStreams>()

  const readChanges = async (userId: number, user: UserStreams): Promise<void> => {
    const { changes } = user
    // A later stream has not loaded its lists yet and needs none of these changes.
    const streams = [...user.streams]
    user.changes = new Map()
    if (changes.size > SENT_MAX) return streams.forEach((stream) => stream.end())
    const eventIds = [...changes.values()].filter((id) => id !== null)
    const events = eventIds.length === 0 ? [] : await listEvents(db, userId, { eventIds }, eventIds.length)
    const frames = await readFrames(db, userId, changes, events)
    streams.forEach((stream) => stream.write(frames))
    return undefined
  }

  /** Runs at once after a pause, otherwise at most once per `COLLECT_MS`. */
  const schedule = (userId: number, user: UserStreams): void => {
    if (user.isReading || user.timer !== null || user.changes.size === 0) return
    user.isReading = true
    void readChanges(userId, user)
      .catch((error: unknown) => {
        onError(error)
        user.streams.forEach((stream) => stream.end())
      })
      .finally(() => {
        user.isReading = false
        user.timer = setTimeout(() => {
          user.timer = null
          schedule(userId, user)
        }, COLLECT_MS)
      })
  }

  const unsubscribe = bus.onNews(({ userId, deliveryId, eventId, notifications }) => {
    const user = byUser.get(userId)
    if (!user) return
    if (notifications) return user.streams.forEach((stream) => stream.write(NOTIFICATIONS_FRAME))
    if (deliveryId === null) return user.streams.forEach((stream) => stream.check())
    user.changes.set(deliveryId, eventId ?? user.changes.get(deliveryId) ?? null)
    return schedule(userId, user)
  })

  const endAll = () => byUser.forEach((user) => user.streams.forEach((stream) => stream.end()))
  // Notifications were lost: clients reconnect and receive what they missed.
  const unsubscribeGap = bus.onGap(endAll)

  const replayed = (userId: number, stream: Stream, since: number): Promise<void> =>
    stream
      .inTurn(() => replay(db, userId, stream, since))
      .catch((error: unknown) => {
        if (!(error instanceof Problem)) onError(error)
        stream.end()
      })

  return {
    join(userId, stream, lastEventId) {
      const user = byUser.get(userId) ?? newUserStreams()
      if (user.streams.size >= STREAMS_PER_USER) return null
      byUser.set(userId, user)
      const joined =
        lastEventId === null ? stream : writingAfter(replayed(userId, stream, lastEventId), stream)
      user.streams.add(joined)
      return () => {
        user.streams.delete(joined)
        if (user.streams.size > 0 || byUser.get(userId) !== user) return
        if (user.timer !== null) clearTimeout(user.timer)
        byUser.delete(userId)
      }
    },
    endAll,
    close() {
      unsubscribe()
      unsubscribeGap()
    },
  }
}

async function replay(db: Db, userId: number, stream: Stream, since: number): Promise<void> {
  const found = await listEvents(db, userId, { since }, REPLAYED_MAX + 1)
  const events = found.slice(0, REPLAYED_MAX)
  const changes: Changes = new Map(events.map((event) => [event.delivery_id, event.event_id]))
  stream.write(await readFrames(db, userId, changes, events))
  if (found.length > events.length) stream.end()
}

/** Writes in the order of the reads: an old state must not follow a newer one. */
function writingAfter(first: Promise<void>, stream: Stream): Stream {
  let waitingBytes = 0
  return {
    ...stream,
    write: (frames) => {
      if (waitingBytes > UNREAD_MAX_BYTES) return stream.end()
      waitingBytes += frames.length
      void first.then(() => {
        waitingBytes -= frames.length
        stream.write(frames)
      })
      return undefined
    },
  }
}

/** One frame per changed delivery with its current state and newest event, in the order of the changes. */
async function readFrames(
  db: Db,
  userId: number,
  changes: Changes,
  events: readonly DeliveryEvent[],
): Promise<Buffer> {
  if (changes.size === 0) return Buffer.alloc(0)
  const rows = await selectDeliveries(db, userId)
    .where('deliveries.delivery_id', 'in', [...changes.keys()])
    .execute()
  const byId = new Map(events.map((event) => [event.event_id, event]))
  const frames = rows
    .map((row) => ({ event: byId.get(changes.get(row.delivery_id) ?? 0) ?? null, delivery: toDelivery(row) }))
    .toSorted((a, b) => (a.event?.event_id ?? 0) - (b.event?.event_id ?? 0))
    .map(frame)
  return Buffer.from(frames.join(''))
}

function frame(reply: DeliveryChange): string {
  const id = reply.event ? `id: ${reply.event.event_id}\n` : ''
  return `${id}data: ${JSON.stringify(DeliveryChange.parse(reply))}\n\n`
}

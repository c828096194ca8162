import { DeliveryChange, type DeliveryEvent, type NotificationsChange } from '#contract/deliveries.ts'
import type { Bus } from '../db/bus.ts'
import type { Db } from '#base/db/open.ts'
import { Problem } from '#base/problem.ts'
import { listEvents, selectDeliveries, toDelivery } from '../deliveries/read.ts'

/** One open event stream. */
export type Stream = {
  /** Never throws; a stream that cannot be written to ends itself. All streams of a user are given the same bytes. */
  write(frames: Buffer): void
  /** Reads what was missed when it is this user's turn. */
  inTurn(read: () => Promise<void>): Promise<void>
  /** Ends the stream if its session or token is no longer valid. */
  check(): void
  /** After what was written, if it is read soon. */
  end(): void
}

export type Feeds = {
  /**
   * Subscribes the stream to the user's changes, starting after `lastEventId`. Returns the unsubscribe function; `null`: the user
   * has too many streams.
   */
  join(userId: number, stream: Stream, lastEventId: number | null): (() => void) | null
  endAll(): void
  close(): void
}

export const STREAMS_PER_USER = 10
/** Changes within this time are read and sent together, which bounds the queries of a burst. */
const COLLECT_MS = 250
/** With more changes than this the streams end: reconnecting clients reload their lists, which is cheaper. */
const SENT_MAX = 500
/** A client that missed more reconnects for the rest. */
const REPLAYED_MAX = 100
/** A stream ends when more than this was written to it and not read. */
export const UNREAD_MAX_BYTES = 1_048_576

/** Says that a client should ask again: what was told is read by pages only. */
const NOTIFICATIONS_FRAME = Buffer.from(
  `data: ${JSON.stringify({ notifications: 'changed' } satisfies NotificationsChange)}\n\n`,
)

/** `null`: only the delivery's progress changed. */
type Changes = Map<number, number | null>
type Feed = {
  readonly streams: Set<Stream>
  changes: Changes
  isReading: boolean
  timer: NodeJS.Timeout | null
}

const newFeed = (): Feed => ({ streams: new Set(), changes: new Map(), isReading: false, timer: null })

/** Reads each change once for all streams of its user in this process. */
export function createFeeds(
  { db, bus }: { readonly db: Db; readonly bus: Pick<Bus, 'onNews' | 'onGap'> },
  onError: (error: unknown) => void,
): Feeds {
  const feeds = new Map<number, Feed>()

  const readChanges = async (userId: number, feed: Feed): Promise<void> => {
    const { changes } = feed
    // A stream added after this has not loaded its lists yet and needs none of these changes.
    const streams = [...feed.streams]
    feed.changes = new Map()
    if (changes.size > SENT_MAX) return streams.forEach((stream) => stream.end())
    const eventIds = [...changes.values()].filter((id) => id !== null)
    const events = eventIds.length === 0 ? [] : await listEvents(db, userId, { eventIds }, eventIds.length)
    const frames = await framesOf(db, userId, changes, events)
    streams.forEach((stream) => stream.write(frames))
    return undefined
  }

  /** Runs at once after a pause, otherwise at most once per `COLLECT_MS`. */
  const schedule = (userId: number, feed: Feed): void => {
    if (feed.isReading || feed.timer !== null || feed.changes.size === 0) return
    feed.isReading = true
    void readChanges(userId, feed)
      .catch((error: unknown) => {
        onError(error)
        feed.streams.forEach((stream) => stream.end())
      })
      .finally(() => {
        feed.isReading = false
        feed.timer = setTimeout(() => {
          feed.timer = null
          schedule(userId, feed)
        }, COLLECT_MS)
      })
  }

  const unsubscribe = bus.onNews(({ userId, deliveryId, eventId, notifications }) => {
    const feed = feeds.get(userId)
    if (!feed) return
    if (notifications) return feed.streams.forEach((stream) => stream.write(NOTIFICATIONS_FRAME))
    if (deliveryId === null) return feed.streams.forEach((stream) => stream.check())
    feed.changes.set(deliveryId, eventId ?? feed.changes.get(deliveryId) ?? null)
    return schedule(userId, feed)
  })

  const endAll = () => feeds.forEach((feed) => feed.streams.forEach((stream) => stream.end()))
  // What was said meanwhile is lost: clients reconnect and are sent what they have missed.
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
      const feed = feeds.get(userId) ?? newFeed()
      if (feed.streams.size >= STREAMS_PER_USER) return null
      feeds.set(userId, feed)
      const joined =
        lastEventId === null ? stream : writingAfter(replayed(userId, stream, lastEventId), stream)
      feed.streams.add(joined)
      return () => {
        feed.streams.delete(joined)
        if (feed.streams.size > 0 || feeds.get(userId) !== feed) return
        if (feed.timer !== null) clearTimeout(feed.timer)
        feeds.delete(userId)
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
  stream.write(await framesOf(db, userId, changes, events))
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

/** One frame per changed delivery: its current state and its newest event, in the order of the changes. */
async function framesOf(
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

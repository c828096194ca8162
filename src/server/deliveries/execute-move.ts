import { type Compilable, type RawBuilder, sql } from 'kysely'
import type { Db } from '#base/db/open.ts'
import { tellNews, tellWake } from '../db/bus.ts'

type MovedRow = {
  readonly delivery_id: number
  readonly user_id: number
  readonly state: string
  /** The new line of the timeline. null: live listeners get mere progress. */
  readonly line: string | null
}

export const asLine = (line: string | null) => sql<string | null>`${line}::text`.as('line')

/** Workers look for what is due. */
export const WAKES = sql`, ${tellWake}`

/** One statement: `move` inserts or updates deliveries or follow-ups; the timelines get their lines and live listeners are told. */
export async function executeMove<R extends MovedRow>(
  db: Db,
  move: Compilable<R> | RawBuilder<R>,
  wakes = sql``,
): Promise<R[]> {
  const { rows } = await sql<R>`
    with moved as (${move}), event as (
      insert into delivery_events (delivery_id, user_id, state, message)
      select delivery_id, user_id, state, line from moved where line is not null order by delivery_id
      returning delivery_id, event_id)
    select moved.*, ${tellNews(sql`moved.delivery_id`, sql`user_id`, sql`event_id`)}${wakes}
    from moved left join event on event.delivery_id = moved.delivery_id`.execute(db)
  return rows
}

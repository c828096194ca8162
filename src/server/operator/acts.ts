import type { ActKind, OperatorAct } from '#contract/operator.ts'
import { OperatorAct as Act } from '#contract/operator.ts'
import { OPERATOR_ACTS_PAGE } from '#contract/limits.ts'
import type { Db } from '#base/db/open.ts'

export type NewAct = Pick<OperatorAct, 'operator' | 'subject' | 'before' | 'after'> & {
  readonly act: ActKind
}

const asJson = (fields: NewAct['before']) => fields && JSON.stringify(fields)

/** Commits the act's line with what it does: nothing is done without one, and a line is of something done. */
export function recordAct<T>(
  db: Db,
  act: NewAct,
  now: number,
  carryOut: (trx: Db) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await insertAct(trx, act, now)
    return carryOut(trx)
  })
}

/** Writes the line alone, before an act that no transaction may wait for. */
export async function insertAct(db: Db, act: NewAct, now: number): Promise<void> {
  await db
    .insertInto('operator_acts')
    .values({ ...act, before: asJson(act.before), after: asJson(act.after), at: new Date(now) })
    .execute()
}

/** The latest first. */
export async function listActs(
  db: Db,
  before: number | undefined,
): Promise<{ items: OperatorAct[]; more: boolean }> {
  let query = db
    .selectFrom('operator_acts')
    .selectAll()
    .orderBy('act_id', 'desc')
    .limit(OPERATOR_ACTS_PAGE + 1)
  if (before !== undefined) query = query.where('act_id', '<', before)
  const rows = await query.execute()
  const items = rows
    .slice(0, OPERATOR_ACTS_PAGE)
    .map((row) => Act.parse({ ...row, at: row.at.toISOString() }))
  return { items, more: rows.length > OPERATOR_ACTS_PAGE }
}

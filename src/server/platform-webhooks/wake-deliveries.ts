import { sql } from 'kysely'
import type { PlatformId } from '#contract/platforms/index.ts'
import type { Session } from '#domain/delivery/state.ts'
import type { AccessDeps } from '../accounts/access.ts'
import type { Db } from '#base/db/open.ts'
import { notifyWake } from '../db/bus.ts'
import { fromColumns } from '../deliveries/record.ts'
import { calledBy, isFirstNotice, type NoticeOf } from './store.ts'

/** Other states wait for something else, such as a limit. */
const ASKED_ABOUT = ['processing', 'unconfirmed', 'in_inbox']

/** Makes this post's deliveries and link checks due now, so that the platform is asked at once; only its answer counts. */
export function wakeDeliveries(
  deps: AccessDeps,
  platform: PlatformId,
  notice: NoticeOf<'post_moved'>,
): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    if (!(await isFirstNotice(trx, platform, notice.key))) return
    const asking = await findAsking(trx, platform, notice.externalId).execute()
    const meant = asking
      .filter((row) => hasSession(fromColumns(row, deps.encrypter), notice.session))
      .map(({ delivery_id }) => delivery_id)
    if (meant.length === 0) return
    const now = new Date(deps.now())
    await makeDeliveriesDue(trx, meant, now)
    await makeLinksDue(trx, meant, now)
    await notifyWake(trx)
  })
}

const makeDeliveriesDue = (db: Db, deliveryIds: readonly number[], now: Date) =>
  db
    .updateTable('deliveries')
    // The new version makes a worker with an older answer ask again.
    .set((eb) => ({ wake_at: sql<Date>`least(wake_at, ${now})`, version: eb('version', '+', 1) }))
    .where(sql<boolean>`delivery_id = any(${deliveryIds}::bigint[])`)
    .where('state', 'in', ASKED_ABOUT)
    .where('wake_at', 'is not', null)
    .execute()

const makeLinksDue = (db: Db, deliveryIds: readonly number[], now: Date) =>
  db
    .updateTable('follow_ups')
    .set((eb) => ({ wake_at: sql<Date>`least(wake_at, ${now})`, version: eb('version', '+', 1) }))
    .where(sql<boolean>`delivery_id = any(${deliveryIds}::bigint[])`)
    .where(isAskingForLink)
    .execute()

/**
 * Selects the account's deliveries and link checks that ask the platform. Each has its own index, because an account may
 * have published very many posts.
 */
export const findAsking = (db: Db, platform: PlatformId, externalId: string) => {
  const ofAccount = db
    .selectFrom('accounts')
    .innerJoin('deliveries', 'deliveries.account_id', 'accounts.account_id')
    .select(['deliveries.delivery_id', 'deliveries.state', 'deliveries.data', 'deliveries.session'])
    .where(calledBy(platform, externalId))
    .where('accounts.unlinked_at', 'is', null)
    .where('accounts.relink_reason', 'is', null)
  return ofAccount
    .where('deliveries.state', 'in', ASKED_ABOUT)
    .where('deliveries.wake_at', 'is not', null)
    .unionAll(
      ofAccount
        .innerJoin('follow_ups', (join) =>
          join
            .onRef('follow_ups.delivery_id', '=', 'deliveries.delivery_id')
            .onRef('follow_ups.user_id', '=', 'accounts.user_id'),
        )
        .where(isAskingForLink),
    )
}

const isAskingForLink = sql<boolean>`follow_ups.kind = 'public_link' and follow_ups.state = 'waiting'`

function hasSession(state: ReturnType<typeof fromColumns>, part: Session): boolean {
  const session = 'session' in state ? state.session : null
  return session !== null && Object.entries(part).every(([name, value]) => session[name] === value)
}

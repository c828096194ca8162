import { reportAddress } from '#contract/http/addresses.ts'
import { DAY_MS } from '#domain/results/schedule.ts'
import type { Db } from '#base/db/open.ts'
import { notFound } from '#base/problem.ts'
import { looksLikeSecret, newSecret, secretHash } from '#base/secret.ts'
import { createAddressLimit } from '../http/address-limit.ts'
import type { Handlers } from '../http/mount.ts'
import type { Config } from '../runtime/config.ts'
import { readReport } from './read-report.ts'
import { endLink, findBrand, findReport, findShared, saveLink, saveNote } from './store.ts'

type ReportDeps = {
  readonly db: Db
  readonly config: Pick<Config, 'publicUrl'>
  readonly now: () => number
}
type ReportCalls = 'getReport' | 'setReportNote' | 'createReportLink' | 'deleteReportLink' | 'getSharedReport'

export function reportRoutes({ db, config, now }: ReportDeps): Handlers<ReportCalls> {
  const limit = createAddressLimit(now)
  const ownedBrand = async (userId: number, brandId: number) => {
    const brand = await findBrand(db, userId, brandId)
    if (!brand) throw notFound('brand')
    return brand
  }
  const read = async (brand: Awaited<ReturnType<typeof ownedBrand>>, month: string) => {
    const { note, linkExpiresAt } = await findReport(db, { brandId: brand.brand_id, month }, now())
    return { linkExpiresAt, report: await readReport(db, brand, { month, note, now: now() }) }
  }
  return {
    getReport: async ({ user, params: { brandId, month } }) => {
      const { report, linkExpiresAt } = await read(await ownedBrand(user.user_id, brandId), month)
      return { ...report, link_expires_at: linkExpiresAt?.toISOString() ?? null }
    },
    setReportNote: async ({ user, params: { brandId, month }, body }) => {
      await ownedBrand(user.user_id, brandId)
      await saveNote(db, { brandId, month, userId: user.user_id }, body.note)
    },
    createReportLink: async ({ user, params: { brandId, month }, body }) => {
      await ownedBrand(user.user_id, brandId)
      const token = newSecret()
      const expiresAt = new Date(now() + body.days * DAY_MS)
      const link = { tokenHash: secretHash(token), expiresAt }
      await saveLink(db, { brandId, month, userId: user.user_id }, link)
      return { url: `${config.publicUrl}${reportAddress(token)}`, expires_at: expiresAt.toISOString() }
    },
    deleteReportLink: async ({ user, params: { brandId, month } }) => {
      await ownedBrand(user.user_id, brandId)
      await endLink(db, { brandId, month })
    },
    getSharedReport: async ({ params: { token }, ip }) => {
      limit.countCaller(ip)
      const shared = looksLikeSecret(token) ? await findShared(db, secretHash(token), now()) : undefined
      const brand = shared && (await findBrand(db, shared.user_id, shared.brand_id))
      if (!shared || !brand) throw notFound('report')
      limit.countAddress(`${shared.brand_id} ${shared.month}`)
      return (await read(brand, shared.month)).report
    },
  }
}

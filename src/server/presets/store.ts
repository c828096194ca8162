import { type Selectable, sql } from 'kysely'
import { accountName } from '#contract/accounts.ts'
import { PRESETS_MAX } from '#contract/limits.ts'
import { PlatformId } from '#contract/platforms/index.ts'
import { type NewPreset, Preset } from '#contract/presets.ts'
import type { Db } from '#base/db/open.ts'
import type { Presets } from '#base/db/tables.ts'
import { notFound } from '#base/problem.ts'

export type PresetKey = { readonly userId: number; readonly presetId: number }

/** The user's presets of all kinds by name, or one of them. */
export async function listPresets(db: Db, userId: number, presetId?: number): Promise<Preset[]> {
  const all = db.selectFrom('presets').selectAll().where('user_id', '=', userId)
  const rows = await (presetId === undefined ? all : all.where('preset_id', '=', presetId))
    .orderBy('key')
    .orderBy('preset_id')
    .execute()
  const gone = await findGone(db, userId, rows)
  return rows.map((row) => toPreset(row, gone))
}

/** @throws Problem not_found */
export async function getPreset(db: Db, { userId, presetId }: PresetKey): Promise<Preset> {
  const [preset] = await listPresets(db, userId, presetId)
  if (!preset) throw notFound('preset')
  return preset
}

export async function findPresetNamed(
  db: Db,
  userId: number,
  { kind, name }: Pick<Preset, 'kind' | 'name'>,
): Promise<Preset | null> {
  const row = await db
    .selectFrom('presets')
    .select('preset_id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('key', '=', sql<string>`lower(normalize(${name}, NFKC))`)
    .executeTakeFirst()
  return row ? getPreset(db, { userId, presetId: row.preset_id }) : null
}

export type AccountSet = Extract<Preset, { kind: 'accounts' }>

/** The user's sets among these names, whatever their case. */
export async function findSets(
  db: Db,
  userId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, AccountSet>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ name: string; preset_id: number }>`
    select n.name, p.preset_id from unnest(${[...new Set(names)]}::text[]) as n (name)
    join presets p on p.user_id = ${userId} and p.kind = 'accounts' and p.key = lower(normalize(n.name, NFKC))`.execute(
    db,
  )
  const sets = new Map<number, AccountSet>()
  for (const preset of await listPresets(db, userId))
    if (preset.kind === 'accounts') sets.set(preset.preset_id, preset)
  return new Map(
    rows.flatMap(({ name, preset_id }) => {
      const set = sets.get(preset_id)
      return set ? [[name, set] as const] : []
    }),
  )
}

/** No other transaction saves a preset of the user's until this one ends. */
export async function lockPresets(trx: Db, userId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`presets ${userId}`}, 0))`.execute(trx)
}

/** @returns true at the maximum number of presets */
export async function hasAllPresets(trx: Db, userId: number): Promise<boolean> {
  const rows = await trx
    .selectFrom('presets')
    .select('preset_id')
    .where('user_id', '=', userId)
    .limit(PRESETS_MAX)
    .execute()
  return rows.length === PRESETS_MAX
}

/** Linked or not. */
export async function ownsAllAccounts(
  db: Db,
  userId: number,
  accountIds: readonly number[],
): Promise<boolean> {
  const rows = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('user_id', '=', userId)
    .where('account_id', '=', sql<number>`any(${[...accountIds]}::bigint[])`)
    .execute()
  return rows.length === accountIds.length
}

const brandOf = (preset: NewPreset | Preset): number | null =>
  preset.kind === 'text' ? preset.brand_id : null

export async function insertPreset(
  trx: Db,
  { userId, now }: { readonly userId: number; readonly now: number },
  preset: NewPreset,
): Promise<number> {
  const { preset_id } = await trx
    .insertInto('presets')
    .values({
      user_id: userId,
      kind: preset.kind,
      brand_id: brandOf(preset),
      name: preset.name,
      content: JSON.stringify(preset.content),
      created_at: new Date(now),
      updated_at: new Date(now),
    })
    .returning('preset_id')
    .executeTakeFirstOrThrow()
  return preset_id
}

export async function updatePreset(
  trx: Db,
  { userId, presetId, now }: PresetKey & { readonly now: number },
  preset: Preset,
): Promise<void> {
  await trx
    .updateTable('presets')
    .set((eb) => ({
      name: preset.name,
      brand_id: brandOf(preset),
      content: JSON.stringify(preset.content),
      version: eb('version', '+', 1),
      updated_at: new Date(now),
    }))
    .where('user_id', '=', userId)
    .where('preset_id', '=', presetId)
    .execute()
}

/** @throws Problem not_found */
export async function deletePreset(db: Db, { userId, presetId }: PresetKey): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('presets')
    .where('user_id', '=', userId)
    .where('preset_id', '=', presetId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('preset')
}

/** Deletes the texts of a brand, in the transaction that deletes the brand. */
export async function deletePresetsOfBrand(trx: Db, brandId: number): Promise<void> {
  await trx.deleteFrom('presets').where('brand_id', '=', brandId).execute()
}

type PresetRow = Selectable<Presets>
type Gone = Extract<Preset, { kind: 'accounts' }>['gone'][number]

/** Written by `insertPreset` and `updatePreset`. */
const accountIdsIn = ({ kind, content }: PresetRow): readonly number[] =>
  kind === 'accounts' ? (content as { account_ids: number[] }).account_ids : []

/** The unlinked accounts in these sets, by id. */
async function findGone(
  db: Db,
  userId: number,
  rows: readonly PresetRow[],
): Promise<ReadonlyMap<number, Gone>> {
  const ids = [...new Set(rows.flatMap(accountIdsIn))]
  if (ids.length === 0) return new Map()
  const accounts = await db
    .selectFrom('accounts')
    .select(['account_id', 'platform', 'username', 'display_name'])
    .where('user_id', '=', userId)
    .where('account_id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('unlinked_at', 'is not', null)
    .execute()
  return new Map(
    accounts.map((account) => [
      account.account_id,
      {
        account_id: account.account_id as Gone['account_id'], // ids come out of the database unbranded
        platform: PlatformId.parse(account.platform),
        name: accountName(account),
      },
    ]),
  )
}

const toPreset = (row: PresetRow, gone: ReadonlyMap<number, Gone>): Preset =>
  Preset.parse({
    preset_id: row.preset_id,
    kind: row.kind,
    name: row.name,
    brand_id: row.brand_id,
    content: row.content,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    gone: accountIdsIn(row).flatMap((id) => gone.get(id) ?? []),
  })

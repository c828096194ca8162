import { isDeepStrictEqual } from 'node:util'
import { PRESETS_MAX } from '#contract/limits.ts'
import type { NewPreset, Preset, PresetChange } from '#contract/presets.ts'
import type { Db } from '#base/db/open.ts'
import { notFound, Problem } from '#base/problem.ts'
import { selectBrand } from '../accounts/store.ts'
import { refusal } from '../http/parse.ts'
import {
  findPresetNamed,
  getPreset,
  hasAllPresets,
  insertPreset,
  lockPresets,
  ownsAllAccounts,
  type PresetKey,
  updatePreset,
} from './store.ts'

export type PresetDeps = { readonly db: Db; readonly now: () => number }

/**
 * Saves a new preset; one whose answer was lost finds itself stored and succeeds.
 * @throws Problem not_found for an account or brand; invalid for a name that another has; conflict for too many
 */
export function createPreset({ db, now }: PresetDeps, userId: number, preset: NewPreset): Promise<Preset> {
  return db.transaction().execute(async (trx) => {
    await lockPresets(trx, userId)
    await assertOwned(trx, userId, preset)
    const same = await findPresetNamed(trx, userId, preset)
    if (same && isSame(same, preset)) return same
    if (same) throw nameTaken(preset)
    if (await hasAllPresets(trx, userId))
      throw new Problem('conflict', `You have ${PRESETS_MAX} presets, which is the limit. Delete one first.`)
    const presetId = await insertPreset(trx, { userId, now: now() }, preset)
    return getPreset(trx, { userId, presetId })
  })
}

/**
 * Compare and set. A repeated change whose answer was lost finds itself stored and succeeds.
 * @throws Problem not_found; conflict for another version; invalid for another kind, or a name that another has
 */
export function changePreset({ db, now }: PresetDeps, key: PresetKey, change: PresetChange): Promise<Preset> {
  return db.transaction().execute(async (trx) => {
    await lockPresets(trx, key.userId)
    const stored = await getPreset(trx, key)
    const { version, ...changed } = change
    if (stored.kind !== changed.kind)
      throw refusal('invalid', { kind: ['This preset is of another kind, which stays.'] })
    const preset = { ...stored, ...changed } as Preset // of the same kind
    if (isSame(stored, preset)) return stored
    if (version !== stored.version)
      throw new Problem('conflict', 'This preset was changed somewhere else, perhaps in another tab.')
    await assertOwned(trx, key.userId, preset)
    const named = await findPresetNamed(trx, key.userId, preset)
    if (named !== null && named.preset_id !== stored.preset_id) throw nameTaken(preset)
    await updatePreset(trx, { ...key, now: now() }, preset)
    return getPreset(trx, key)
  })
}

/** The order of an object's keys does not count. */
function isSame(one: Preset, other: NewPreset | Preset): boolean {
  const brands = [one, other].map((preset) => (preset.kind === 'text' ? preset.brand_id : null))
  return one.name === other.name && brands[0] === brands[1] && isDeepStrictEqual(one.content, other.content)
}

const KINDS: Record<Preset['kind'], string> = {
  accounts: 'a set',
  text: 'a saved text',
  options: 'saved options',
}

const nameTaken = ({ kind }: Pick<Preset, 'kind'>): Problem =>
  refusal('invalid', { name: [`You already have ${KINDS[kind]} with this name.`] })

/** The brand cannot be deleted until the transaction ends. @throws Problem not_found */
async function assertOwned(trx: Db, userId: number, preset: NewPreset | Preset): Promise<void> {
  switch (preset.kind) {
    case 'accounts':
      if (!(await ownsAllAccounts(trx, userId, preset.content.account_ids))) throw notFound('account')
      return
    case 'text': {
      if (preset.brand_id === null) return
      const brand = selectBrand(trx, userId, preset.brand_id).select('brand_id').forShare()
      if (!(await brand.executeTakeFirst())) throw notFound('brand')
      return
    }
    case 'options':
  }
}

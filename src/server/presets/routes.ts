import type { Handlers } from '../http/mount.ts'
import { changePreset, createPreset, type PresetDeps } from './save-preset.ts'
import { deletePreset, listPresets } from './store.ts'

export const presetRoutes = (
  deps: PresetDeps,
): Handlers<'listPresets' | 'createPreset' | 'changePreset' | 'deletePreset'> => ({
  listPresets: ({ user }) => listPresets(deps.db, user.user_id),
  createPreset: ({ user, body }) => createPreset(deps, user.user_id, body),
  changePreset: ({ user, params, body }) =>
    changePreset(deps, { userId: user.user_id, presetId: params.presetId }, body),
  deletePreset: ({ user, params }) =>
    deletePreset(deps.db, { userId: user.user_id, presetId: params.presetId }),
})

import { queryOptions } from '@tanstack/react-query'
import type { NewPreset, Preset } from '#contract/presets.ts'
import { call } from '#web/api/api.ts'

/** All presets of the user, of every kind. */
export const presetsQuery = queryOptions({
  queryKey: ['presets'],
  queryFn: ({ signal }) => call('listPresets', { signal }),
})

export type PresetOf<Kind extends Preset['kind']> = Extract<Preset, { kind: Kind }>

type WithoutName<P> = P extends unknown ? Omit<P, 'name'> : never
/** What is to be saved under a name. */
export type Unnamed = WithoutName<NewPreset>

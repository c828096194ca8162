import type { Audience } from './audience.ts'
import type { Background } from './background.ts'
import type { Calls } from './calls.ts'
import type { Clock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { Outbox } from './outbox.ts'
import type { SettingsStore } from './settings.ts'
import type { MediaFolder } from './media.ts'
import type { Store } from './store.ts'

export interface Context {
  store: Store
  clock: Clock
  settings: SettingsStore
  faults: Faults
  calls: Calls
  media: MediaFolder
  outbox: Outbox
  background: Background
  audience: Audience
  appUrl: string
}

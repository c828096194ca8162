import { IconChevronDown } from '@tabler/icons-react'
import type { AccountId } from '#contract/ids.ts'
import { counted } from '#web/lib/amounts.ts'
import { ICON } from '#web/ui/icons.tsx'
import { PresetPopover } from './preset-popover.tsx'
import type { PresetOf } from './presets-query.ts'
import classes from './presets.module.css'

type Props = {
  /** The accounts that can be saved as a set. */
  selected: readonly AccountId[]
  /** The accounts of the chosen set that are still linked. */
  onChoose: (accountIds: readonly AccountId[], set: PresetOf<'accounts'>) => void
  disabled?: boolean
}

/** Chooses a set of accounts, and saves the selected ones as a set. */
export const SetMenu = ({ selected, onChoose, disabled = false }: Props) => (
  <PresetPopover
    label="Sets of accounts"
    isOffered={({ kind }) => kind === 'accounts'}
    current={selected.length === 0 ? null : { kind: 'accounts', content: { account_ids: [...selected] } }}
    words={{
      none: 'No set yet. Select the accounts that often get the same post, and save them here.',
      save: 'Save this selection as a set…',
      replace: 'Replace with this selection',
    }}
    describe={(set) => (set.kind === 'accounts' ? describe(set) : '')}
    onChoose={(set) => set.kind === 'accounts' && onChoose(linkedIn(set), set)}
    renderButton={(onClick) => (
      <button type="button" className={classes.pill} disabled={disabled} onClick={onClick}>
        Sets
        <IconChevronDown {...ICON} size={14} />
      </button>
    )}
  />
)

function linkedIn({ content, gone }: PresetOf<'accounts'>): readonly AccountId[] {
  const unlinked = new Set(gone.map(({ account_id }) => account_id))
  return content.account_ids.filter((id) => !unlinked.has(id))
}

function describe(set: PresetOf<'accounts'>): string {
  const linked = counted(linkedIn(set).length, 'account')
  return set.gone.length === 0 ? linked : `${linked}, ${set.gone.length} no longer linked`
}

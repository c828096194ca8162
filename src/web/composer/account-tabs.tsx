import { Button, Group, Menu, VisuallyHidden } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useRef, type KeyboardEvent } from 'react'
import type { Account } from '#contract/accounts.ts'
import { ICON } from '#web/ui/icons.tsx'
import { AccountName } from '#web/platforms/account-name.tsx'
import classes from './preview.module.css'

/** Beside each other in the narrow column; the others are in a menu. */
const SHOWN = 2

type Props = {
  accounts: readonly Account[]
  /** Marked with a dot. */
  needing: ReadonlySet<Account['account_id']>
  selected: Account
  onSelect: (id: Account['account_id']) => void
  panelId: string
}

/** One tab for each account, the selected one always among those that are shown. */
export function AccountTabs({ accounts, needing, selected, onSelect, panelId }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const [shown, rest] = splitTabs(accounts, selected)
  const isRestNeeding = rest.some(({ account_id }) => needing.has(account_id))
  const move = (event: KeyboardEvent) => {
    const at = shown.findIndex(({ account_id }) => account_id === selected.account_id)
    const to = placeAfterKey(event.key, at, shown.length)
    const next = to === null ? undefined : shown[to]
    if (to === null || next === undefined) return
    event.preventDefault()
    onSelect(next.account_id)
    list.current?.querySelectorAll('button')[to]?.focus()
  }
  return (
    <Group gap="0.375rem" wrap="nowrap" miw={0}>
      <Group
        ref={list}
        role="tablist"
        aria-label="Preview for"
        gap="0.375rem"
        wrap="nowrap"
        miw={0}
        onKeyDown={move}
        tabIndex={-1}
      >
        {shown.map((account) => {
          const isSelected = account.account_id === selected.account_id
          return (
            <button
              key={account.account_id}
              type="button"
              role="tab"
              className={classes.tab}
              aria-selected={isSelected}
              aria-controls={panelId}
              tabIndex={isSelected ? 0 : -1}
              onClick={() => onSelect(account.account_id)}
            >
              <AccountName of={account} />
              {needing.has(account.account_id) && <Dot />}
            </button>
          )
        })}
      </Group>
      {rest.length > 0 && (
        <Menu>
          <Menu.Target>
            <Button
              flex="none"
              px="0.25rem"
              c="dimmed"
              variant="subtle"
              size="compact-sm"
              aria-label={`${rest.length} more accounts${isRestNeeding ? ', some need attention' : ''}`}
              rightSection={<IconChevronDown {...ICON} size={14} />}
            >
              +{rest.length}
              {isRestNeeding && <Dot />}
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah="17.5rem" style={{ overflowY: 'auto' }}>
            {rest.map((account) => (
              <Menu.Item key={account.account_id} onClick={() => onSelect(account.account_id)}>
                <AccountName of={account} />
                {needing.has(account.account_id) && <Dot />}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  )
}

const Dot = () => (
  <span className={classes.dot}>
    <VisuallyHidden>, needs attention</VisuallyHidden>
  </span>
)

/** The first ones; an account from the menu takes the last place. */
function splitTabs(accounts: readonly Account[], selected: Account): [Account[], Account[]] {
  const first = accounts.slice(0, SHOWN)
  const isShown = first.some(({ account_id }) => account_id === selected.account_id)
  const shown = isShown ? first : [...accounts.slice(0, SHOWN - 1), selected]
  return [shown, accounts.filter((account) => !shown.includes(account))]
}

function placeAfterKey(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count
    case 'ArrowLeft':
      return (at + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

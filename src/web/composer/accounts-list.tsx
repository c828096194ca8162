import { ActionIcon, Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import {
  IconAlertTriangle,
  IconChevronDown,
  IconHourglass,
  IconPlayerPause,
  IconSearch,
} from '@tabler/icons-react'
import { Suspense, useState, type Ref } from 'react'
import { Link } from 'react-router'
import type { Brand } from '#contract/brands.ts'
import type { DraftContent } from '#contract/drafts.ts'
import type { AccountId, PostId } from '#contract/ids.ts'
import { PLATFORM_IDS, PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { PATHS } from '#web/lib/paths.ts'
import { ICON } from '#web/ui/icons.tsx'
import { Badge } from '#web/ui/status.tsx'
import { MissedDialog } from '#web/posts/resume-button.tsx'
import type { PresetOf } from '#web/presets/presets-query.ts'
import { SetMenu } from '#web/presets/set-menu.tsx'
import { isInTheWay } from './checks.ts'
import { needsWord } from './when.ts'
import type { ComposeAction } from './compose-state.ts'
import type { Judged } from './readiness.ts'
import { AccountRow } from './account-row.tsx'
import type { Opened } from './place-of.ts'
import { SharedOptions } from './shared-options.tsx'
import {
  byBrand,
  haveSame,
  idsOf,
  initialsOf,
  leftOutText,
  selectable,
  selectedIn,
  selectionOf,
} from './account-selection.ts'
import classes from './accounts.module.css'

/** From here on a list is searched rather than read, and its brands fold. */
const SEARCH_FROM = 12

type Props = {
  brands: readonly Brand[]
  accounts: readonly Judged[]
  content: Pick<DraftContent, 'text' | 'platform_options' | 'platform_texts'>
  /** Of the last post; empty: there was none. */
  lastUsed: readonly AccountId[]
  isOpen: (opened: Opened) => boolean
  onOpen: (opened: Opened, open: boolean) => void
  disabled: boolean
  dispatch: (action: ComposeAction) => void
  heading: Ref<HTMLHeadingElement>
  /** Why the post cannot go out as they are chosen; null: nothing is wrong, or nothing was asked yet. */
  error: string | null
}

/** The accounts by brand: which get the post, how each stands, and what each has of its own. */
export function AccountsList(props: Props) {
  const { brands, accounts, heading, error } = props
  const [search, setSearch] = useState('')
  const [missed, setMissed] = useState<readonly PostId[]>([])
  const groups = byBrand(brands, accounts, search)
  return (
    <section aria-labelledby="compose-accounts">
      <Group justify="space-between" gap="0.5rem 1rem" mih="2.25rem" mb="xs">
        <Group
          component="h2"
          id="compose-accounts"
          align="baseline"
          gap="xs"
          fz="sm"
          lh="sm"
          ref={heading}
          tabIndex={-1}
        >
          Accounts
          <Text span c="dimmed" size="xs">
            {selectedIn(accounts).length} of {accounts.length} selected
          </Text>
        </Group>
        {accounts.length >= SEARCH_FROM && (
          <TextInput
            flex="1 1 12rem"
            maw="21.5rem"
            aria-label="Find an account"
            placeholder="Find an account"
            type="search"
            leftSection={<IconSearch {...ICON} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
      </Group>
      {error !== null && (
        <Text id={ERROR} size="xs" c="var(--r-failed)" mb="xs">
          {error}
        </Text>
      )}
      <QuickSelection {...props} />
      <SharedOptionsCards {...props} />
      <Card flush {...(error !== null && { style: { borderColor: 'var(--r-failed)' } })}>
        {groups.map(({ brand, accounts: own }) => (
          <BrandAccounts
            key={brand.brand_id}
            {...props}
            brand={brand}
            own={own}
            canFold={accounts.length > SEARCH_FROM && search.trim() === ''}
            onMissed={setMissed}
          />
        ))}
        {accounts.length === 0 ? (
          <CenteredMessage
            text="No account is linked yet."
            action={
              <Button variant="default" component={Link} to={PATHS.accounts}>
                Go to accounts
              </Button>
            }
          />
        ) : (
          groups.length === 0 && (
            <Text c="dimmed" size="xs" px="md" py="0.875rem">
              No account matches.
            </Text>
          )
        )}
      </Card>
      <Suspense>
        {missed.length > 0 && <MissedDialog postIds={missed} onClose={() => setMissed([])} />}
      </Suspense>
    </section>
  )
}

/** Cards of platforms with several selected accounts, or with a caption of their own. */
function SharedOptionsCards({ accounts, content, isOpen, onOpen, disabled, dispatch }: Props) {
  return PLATFORM_IDS.map((platform) => {
    const selected = selectedIn(accounts).filter(({ live }) => live.account.platform === platform)
    const text = content.platform_texts?.[platform] ?? null
    if (selected.length < (text === null ? 2 : 1)) return null
    return (
      <SharedOptions
        key={platform}
        platform={platform}
        selected={selected}
        options={content.platform_options[platform] ?? null}
        text={text}
        sharedText={content.text}
        isOpen={isOpen(platform)}
        disabled={disabled}
        dispatch={dispatch}
        onOpen={(open) => onOpen(platform, open)}
      />
    )
  })
}

/** Selects all accounts, those of a platform, of the last post, or of a set. */
function QuickSelection({ accounts, lastUsed, disabled, dispatch }: Props) {
  /** What a set left out, while what it selected is selected. */
  const [leftOut, setLeftOut] = useState<{ text: string; ids: readonly AccountId[] } | null>(null)
  const selectedIds = idsOf(selectedIn(accounts))
  const chooseSet = (accountIds: readonly AccountId[], set: PresetOf<'accounts'>) => {
    const wanted = new Set(idsOf(selectable(accounts)))
    const ids = accountIds.filter((id) => wanted.has(id))
    // All are cleared first, so that they get the order of the set. What they have of their own comes back.
    dispatch({ type: 'clear', accountIds: selectedIds })
    dispatch({ type: 'select', accountIds: ids })
    const text = leftOutText(set, accounts)
    setLeftOut(text === null ? null : { text, ids })
  }
  const last = selectable(accounts).filter(({ live }) => lastUsed.includes(live.account.account_id))
  const platforms = PLATFORM_IDS.map((id) => ({
    name: PLATFORM_NAMES[id],
    accounts: accounts.filter(({ live }) => live.account.platform === id),
  })).filter((one) => one.accounts.length > 0)
  const choices = [{ name: 'All', accounts }, ...(platforms.length > 1 ? platforms : [])]
  if (accounts.length < 2) return null
  return (
    <fieldset aria-label="Select accounts" disabled={disabled}>
      <Group gap="0.375rem" mb="xs">
        {choices.map(({ name, accounts: some }) => {
          const isAll = selectionOf(some) === 'all'
          return (
            <button
              key={name}
              type="button"
              className={classes.pill}
              aria-pressed={isAll}
              disabled={selectable(some).length === 0}
              onClick={() =>
                dispatch({
                  type: isAll ? 'clear' : 'select',
                  accountIds: idsOf(isAll ? some : selectable(some)),
                })
              }
            >
              {name}
            </button>
          )
        })}
        {last.length > 0 && selectedIn(accounts).length === 0 && (
          <button
            type="button"
            className={classes.pill}
            onClick={() => dispatch({ type: 'select', accountIds: idsOf(last) })}
          >
            Same as last time ({last.length})
          </button>
        )}
        <SetMenu selected={selectedIds} onChoose={chooseSet} disabled={disabled} />
      </Group>
      {leftOut !== null && haveSame(leftOut.ids, selectedIds) && (
        <Text component="output" display="block" size="xs" c="var(--r-attention)" mb="xs">
          {leftOut.text}
        </Text>
      )}
    </fieldset>
  )
}

/** The id of the message about the whole choice. */
const ERROR = 'compose-accounts-error'

type BrandProps = Props & {
  brand: Brand
  own: readonly Judged[]
  canFold: boolean
  onMissed: (postIds: readonly PostId[]) => void
}

function BrandAccounts(props: BrandProps) {
  const { brand, own, canFold, accounts, isOpen, onOpen, disabled, dispatch, onMissed } = props
  const [wanted, setWanted] = useState(false)
  const hasOpenRow = own.some(({ live }) => live.selected && isOpen(live.account.account_id))
  const isUnfolded = !canFold || hasOpenRow || wanted
  const listId = `accounts-of-brand-${brand.brand_id}`
  const selection = selectionOf(own)
  const ids = idsOf(selectable(own))
  const set = (on: boolean) => dispatch({ type: on ? 'select' : 'clear', accountIds: on ? ids : idsOf(own) })
  const isAll = selection === 'all'
  return (
    <section aria-label={brand.title}>
      <div className={classes.brand}>
        <Checkbox
          label={
            <Group component="span" gap="0.625rem" wrap="nowrap" fw={650}>
              {brand.logo_url === null ? (
                <span
                  className={classes.initials}
                  style={{ borderColor: brandLook(brand).color }}
                  aria-hidden="true"
                >
                  {initialsOf(brand.title)}
                </span>
              ) : (
                <BrandMark {...brandLook(brand)} />
              )}
              <bdi>{brand.title}</bdi>
            </Group>
          }
          aria-label={brand.title}
          {...(props.error !== null && { 'aria-invalid': true, 'aria-describedby': ERROR })}
          checked={isAll}
          indeterminate={selection === 'some'}
          onChange={() => set(!isAll)}
          disabled={disabled || ids.length === 0}
        />
        <Text span c="dimmed" size="xs" flex="none">
          {selectedIn(own).length} of {own.length}
        </Text>
        {!isUnfolded && <Deviations of={selectedIn(own)} />}
        <Button
          size="compact-xs"
          variant="subtle"
          color="accent"
          ml="auto"
          className={classes.all ?? ''}
          onClick={() => set(!isAll)}
          disabled={disabled || ids.length === 0}
          aria-label={`${isAll ? 'Clear' : 'Select all'}: ${brand.title}`}
        >
          {isAll ? 'Clear' : 'Select all'}
        </Button>
        {canFold && (
          <ActionIcon
            className={classes.open ?? ''}
            aria-label={`Accounts of ${brand.title}`}
            aria-expanded={isUnfolded}
            aria-controls={listId}
            onClick={() => setWanted(!isUnfolded)}
          >
            <IconChevronDown {...ICON} />
          </ActionIcon>
        )}
      </div>
      <ul id={listId} aria-label={`Accounts of ${brand.title}`} hidden={!isUnfolded}>
        {isUnfolded &&
          own.map(({ live, readiness, outgoing }) => (
            <AccountRow
              key={live.account.account_id}
              live={live}
              readiness={readiness}
              outgoing={outgoing}
              sharing={sharingWith(accounts, live.account.platform)}
              isAlone={selectedIn(accounts).length === 1}
              isOpen={isOpen(live.account.account_id)}
              disabled={disabled}
              dispatch={dispatch}
              onOpen={(open) => onOpen(live.account.account_id, open)}
              onMissed={onMissed}
              error={props.error === null ? null : ERROR}
            />
          ))}
      </ul>
    </section>
  )
}

/** What the rows of a folded brand would say. */
function Deviations({ of }: { of: readonly Judged[] }) {
  const attention = of.filter(({ readiness }) => isInTheWay(readiness)).length
  const paused = of.filter(({ readiness }) => readiness.kind === 'paused').length
  const held = of.filter(({ readiness }) => readiness.kind === 'held').length
  return (
    <>
      {attention > 0 && <Badge tone="attention" Icon={IconAlertTriangle} word={needsWord(attention)} />}
      {paused > 0 && <Badge tone="held" Icon={IconPlayerPause} word={`${paused} paused`} />}
      {held > 0 && <Badge tone="held" Icon={IconHourglass} word={`${held} held`} />}
    </>
  )
}

const sharingWith = (accounts: readonly Judged[], platform: string): number =>
  selectedIn(accounts).filter(({ live }) => live.account.platform === platform).length

import { Text } from '@mantine/core'
import { useState } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import type { LiveAccount } from '#web/composer/readiness.ts'
import { SharedOptions } from '#web/composer/shared-options.tsx'
import { judge } from '#web/composer/use-judged.ts'
import { counted } from '#web/lib/amounts.ts'
import { Card } from '#web/ui/card.tsx'
import { PlanAccounts } from './plan-accounts.tsx'
import type { PlanRow, Timing } from './plan-state.ts'
import { PlanTiming } from './plan-timing.tsx'
import classes from './plan.module.css'
import type { usePlanRows } from './use-plan-rows.ts'

/** The part of the page that concerns all posts. */
export const SHARED_FIELDS = 'plan-shared'

export const idsOfAccounts = (rows: readonly PlanRow[]) =>
  new Set(rows.flatMap(({ content }) => content.targets.map(({ account_id }) => account_id)))

type SharedProps = {
  rows: readonly PlanRow[]
  live: readonly LiveAccount[]
  brands: readonly Brand[]
  accounts: readonly Account[]
  schedules: readonly Schedule[]
  zone: string
  now: number
  timing: Timing
  common: readonly string[]
  disabled: boolean
  /** The button was pressed. */
  isWrong: boolean
  dispatch: ReturnType<typeof usePlanRows>['dispatch']
  onTiming: (timing: Timing) => void
}

/** Accounts, options and times of all posts. */
export function SharedFields(props: SharedProps) {
  const { rows, live, brands, accounts, schedules, zone, now, timing, common, disabled, isWrong } = props
  const { dispatch, onTiming } = props
  const counts = new Map<number, number>()
  for (const { content } of rows)
    for (const { account_id: id } of content.targets) counts.set(id, (counts.get(id) ?? 0) + 1)
  const chosen = accounts.filter(({ account_id }) => counts.has(account_id))
  return (
    <Card>
      <section
        id={SHARED_FIELDS}
        tabIndex={-1}
        className={classes.shared}
        aria-label={`For all ${counted(rows.length, 'post')}`}
      >
        <div>
          <h2>Accounts of all posts</h2>
          <PlanAccounts
            brands={brands}
            accounts={live}
            count={(id) => counts.get(id) ?? 0}
            posts={rows.length}
            hasSets={accounts.length > 1}
            disabled={disabled}
            onSelect={(accountIds, on) =>
              dispatch({ type: 'all', action: { type: on ? 'select' : 'clear', accountIds } })
            }
          />
        </div>
        <div>
          <h2>When they go out</h2>
          <PlanTiming
            {...{ timing, brands, schedules, zone, now, disabled, onTiming }}
            posts={rows.length}
            accounts={chosen}
          />
        </div>
        <Options {...{ rows, live, zone, disabled, dispatch }} />
        {common.length > 0 && (
          <Text
            component="ul"
            size="xs"
            className={classes.common ?? ''}
            c={isWrong ? 'var(--r-failed)' : 'var(--r-attention)'}
            aria-label="What all posts lack"
          >
            {common.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </Text>
        )}
      </section>
    </Card>
  )
}

/** The options that all posts share, by platform: open while one asks for a choice. */
function Options({
  rows,
  live,
  zone,
  disabled,
  dispatch,
}: Pick<SharedProps, 'rows' | 'live' | 'zone' | 'disabled' | 'dispatch'>) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [first] = rows
  if (first === undefined) return null
  const asked = idsOfAccounts(rows)
  // The video and the caption of a post say nothing of the others.
  const content = { ...first.content, video_id: null, text: ANY_TEXT, targets: [] }
  const judged = live
    .filter(({ account }) => asked.has(account.account_id))
    .map((one) => judge({ ...one, selected: true }, { content, video: null, refusal: null, zone }))
  return PLATFORM_IDS.map((platform) => {
    const selected = judged.filter((one) => one.live.account.platform === platform)
    if (selected.length === 0) return null
    const options = first.content.platform_options[platform] ?? null
    const needsChoice = selected.some(
      ({ readiness }) => readiness.kind === 'missing' && readiness.where === 'row',
    )
    const isOpen = toggled.get(platform) ?? needsChoice
    return (
      <div key={platform} className={classes.options}>
        <SharedOptions
          platform={platform}
          selected={selected}
          options={options}
          text={null}
          sharedText=""
          isOfSeveral
          isOpen={isOpen}
          disabled={disabled}
          dispatch={(action) => {
            // It stays open while its fields are used.
            setToggled((before) => new Map(before).set(platform, true))
            dispatch({ type: 'all', action })
          }}
          onOpen={(open) => setToggled((before) => new Map(before).set(platform, open))}
        />
      </div>
    )
  })
}

/** A platform whose title is the caption's first line shows this as each post's. */
const ANY_TEXT = 'The first line of each caption'

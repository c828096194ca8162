import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Brand } from '#contract/brands.ts'
import type { DraftSummary, DraftContent } from '#contract/drafts.ts'
import type { Schedule } from '#contract/planning/schedules.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { schedulesQuery } from '#web/api/planning.ts'
import { accountsQuery, ANY_DRAFTS, brandsQuery, queryClient } from '#web/api/queries.ts'
import { keptEdit } from '#web/composer/draft-place.ts'
import { counted } from '#web/lib/amounts.ts'
import { draftTitle } from '#web/lib/draft-title.ts'
import { targetsOfBrand } from '#web/lib/targets-of-brand.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { useUid } from '#web/session/browser-store.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { NOT_SAVED } from './schedule-drafts.ts'

type Props = {
  drafts: readonly DraftSummary[]
  onDone: () => void
  onClose: () => void
}

/** Chooses the accounts of a brand for several drafts. */
export function BrandDialog({ drafts, onDone, onClose }: Props) {
  const uid = useUid()
  const brands = useQuery(brandsQuery).data ?? []
  const accounts = useQuery(accountsQuery()).data ?? []
  const [chosenId, setChosenId] = useState('')
  const brand = brands.find(({ brand_id }) => String(brand_id) === chosenId)
  const targets = brand === undefined ? [] : targetsOfBrand(accounts, brand.brand_id)
  const own = targets.flatMap((one) => accounts.find(({ account_id }) => account_id === one.account_id) ?? [])
  const what = counted(drafts.length, 'draft')
  const set = useMutation({
    mutationFn: (to: Brand) => setBrand(drafts, to, targets, uid),
    onSuccess: (_, { title }) => {
      announce({ kind: 'done', message: `${what} set to ${title}.` })
      onDone()
    },
    onSettled: () => queryClient.invalidateQueries(ANY_DRAFTS),
  })
  return (
    <Modal opened onClose={onClose} title={`Set the brand of ${what}`}>
      <Stack pt="0.25rem">
        <NativeSelect
          label="Brand"
          description="Its accounts replace those chosen before. Captions and options stay."
          data-autofocus
          value={chosenId}
          onChange={({ currentTarget }) => setChosenId(currentTarget.value)}
          data={[
            { value: '', label: 'Choose a brand' },
            ...brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title })),
          ]}
        />
        {brand && (
          <Group gap="0.25rem 0.75rem">
            {own.map((account) => (
              <AccountName key={account.account_id} of={account} />
            ))}
            {own.length === 0 && <Text c="dimmed">No account of this brand can post.</Text>}
          </Group>
        )}
        {set.error && <InlineAlert>{messageOf(set.error, TEXTS.unknownError)}</InlineAlert>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            disabled={brand === undefined || own.length === 0}
            loading={set.isPending}
            onClick={() => brand && set.mutate(brand)}
          >
            Set brand
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** One after the other. Done again after a failure, it changes nothing in those that are done. */
async function setBrand(
  drafts: readonly DraftSummary[],
  { brand_id }: Brand,
  targets: DraftContent['targets'],
  uid: string,
): Promise<void> {
  const schedules = await queryClient.fetchQuery(schedulesQuery)
  const ofBrand = schedules.filter((schedule) => schedule.brand_id === brand_id)
  for (const summary of drafts) {
    const draftId = summary.draft_id
    const { content, version } = await call('getDraft', { params: { draftId } })
    const kept = keptEdit(uid, draftId)
    if (kept !== null && JSON.stringify(kept.content) !== JSON.stringify(content))
      throw new Error(`“${draftTitle(summary)}”: ${NOT_SAVED}`)
    const changed = withTargets(content, targets, ofBrand)
    await call('saveDraft', { params: { draftId }, body: { version, content: changed } })
  }
}

/** An account that was chosen already keeps its own caption and options. A slot of another brand is given up. */
function withTargets(
  { schedule, ...content }: DraftContent,
  targets: DraftContent['targets'],
  schedules: readonly Schedule[],
): DraftContent {
  const had = new Map(content.targets.map((target) => [target.account_id, target]))
  const keepsPlace = schedules.some(({ schedule_id }) => schedule_id === schedule?.schedule_id)
  return {
    ...content,
    targets: targets.map((target) => had.get(target.account_id) ?? target),
    ...(schedule && keepsPlace && { schedule }),
  }
}

import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Account, accountName } from '#contract/accounts.ts'
import type { Brand } from '#contract/brands.ts'
import type { AccountId, BrandId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import {
  ANY_ACCOUNTS,
  ANY_POSTS,
  ANY_WAITING,
  brandsQuery,
  queryClient,
  waitingQuery,
} from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { announce } from '#web/ui/announce.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { focusPage } from '#web/ui/page-region.ts'

/** Moves accounts to another brand, one after the other. Their posts go with them and keep their times. */
export async function moveToBrand(accountIds: readonly AccountId[], brand_id: BrandId): Promise<void> {
  try {
    for (const accountId of accountIds)
      await call('moveAccount', { params: { accountId }, body: { brand_id } })
  } finally {
    // After an error, too, some of them may have moved.
    for (const list of [ANY_ACCOUNTS, ANY_POSTS, ANY_WAITING, brandsQuery])
      void queryClient.invalidateQueries({ queryKey: list.queryKey })
  }
}

type SelectProps = {
  label: string
  brands: readonly Brand[]
  chosen: Brand | undefined
  onChoose: (brand: Brand | undefined) => void
  size?: 'xs'
}

/** No brand is proposed, for another one is another client's. */
export const TargetBrand = ({ label, brands, chosen, onChoose, size }: SelectProps) => (
  <NativeSelect
    {...(size && { size })}
    label={label}
    value={chosen?.brand_id ?? ''}
    data={[
      ...(chosen ? [] : [{ value: '', label: 'Choose a brand' }]),
      ...brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title })),
    ]}
    onChange={({ currentTarget: { value } }) =>
      onChoose(brands.find(({ brand_id }) => String(brand_id) === value))
    }
  />
)

type Props = { account: Account; others: readonly Brand[]; onClose: () => void }

/** Asks to which brand an account moves. */
export function MoveToBrandDialog({ account, others, onClose }: Props) {
  const [brand, setBrand] = useState<Brand>()
  const name = accountName(account)
  const posts = useQuery(waitingQuery({ accountId: account.account_id })).data?.posts ?? 0
  const move = useMutation({
    mutationFn: ({ brand_id }: Brand) => moveToBrand([account.account_id], brand_id),
    onSuccess: (_, { title }) => {
      onClose()
      focusPage()
      announce({ kind: 'done', message: `${name} is in ${title} now.` })
    },
  })
  return (
    <Modal opened onClose={onClose} title={`Move ${name} to another brand`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (brand) move.mutate(brand)
        }}
      >
        <Stack pt="0.25rem">
          <TargetBrand label="Brand" brands={others} chosen={brand} onChoose={setBrand} />
          <Text size="xs" c="dimmed">
            {posts > 0 &&
              `${posts === 1 ? 'Its scheduled post goes' : `Its ${counted(posts, 'scheduled post')} go`} with it, at the same time. `}
            What it has published stays in the past reports of its brand.
          </Text>
          {brand?.paused === true && (
            <Text size="xs" c="var(--r-held)">
              Posting to <bdi>{brand.title}</bdi> is paused. Its posts wait until you resume it.
            </Text>
          )}
          {move.error && <InlineAlert>{messageOf(move.error, TEXTS.unknownError)}</InlineAlert>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={move.isPending} disabled={!brand}>
              Move account
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

import { Button, Group, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Brand } from '#contract/brands.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import {
  accountsQuery,
  ANY_ACCOUNTS,
  ANY_POSTS,
  ANY_WAITING,
  brandsQuery,
  queryClient,
} from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { messageOf } from '#web/lib/message-of.ts'

/** Offered before a brand goes: its accounts stay linked, and their posts scheduled, in another brand, which the user names. */
export function MoveAccounts({ brand }: { brand: Brand }) {
  const { data: brands = [] } = useQuery(brandsQuery)
  const others = brands.filter(({ brand_id }) => brand_id !== brand.brand_id)
  const [chosen, setChosen] = useState<number | null>(null)
  const to = others.find(({ brand_id }) => brand_id === chosen)
  const move = useMutation({
    mutationFn: async ({ brand_id }: Brand) => {
      const accounts = await queryClient.fetchQuery({ ...accountsQuery(brand.brand_id), staleTime: 0 })
      for (const { account_id: accountId } of accounts)
        await call('moveAccount', { params: { accountId }, body: { brand_id } })
      return accounts.length
    },
    onSuccess: (count, { title }) =>
      announce({
        kind: 'done',
        message: `${count === 1 ? '1 account is' : `${count} accounts are`} in ${title} now.`,
      }),
    onSettled: () => {
      for (const list of [ANY_ACCOUNTS, ANY_POSTS, ANY_WAITING]) void queryClient.invalidateQueries(list)
      return queryClient.invalidateQueries(brandsQuery)
    },
  })
  if (others.length === 0 || brand.linkedAccounts === 0) return null
  return (
    <Group align="flex-end" gap="8px" mt="12px">
      <NativeSelect
        size="xs"
        label="Keep its accounts and their posts in"
        value={to?.brand_id ?? ''}
        data={[
          ...(to ? [] : [{ value: '', label: 'Choose a brand' }]),
          ...others.map(({ brand_id, title }) => ({ value: String(brand_id), label: title })),
        ]}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <Button
        size="xs"
        variant="default"
        disabled={to === undefined}
        loading={move.isPending}
        onClick={() => to && move.mutate(to)}
      >
        Move accounts
      </Button>
      {move.error && <span role="alert">{messageOf(move.error, TEXTS.unknownError)}</span>}
    </Group>
  )
}

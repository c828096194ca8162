import { Button, Group, NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import type { BulkResult } from '#contract/planning/bulk-posts.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { accountsQuery, ANY_POSTS, ANY_WAITING, brandsQuery, queryClient } from '#web/api/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import classes from './accounts.module.css'

/** One call moves a part of many. */
async function moveAll(account: Account, to: Account, posts: number): Promise<BulkResult> {
  const done: BulkResult['done'] = []
  for (;;) {
    const part = await call('moveAccountPosts', {
      params: { accountId: account.account_id },
      body: { to_account_id: to.account_id, posts: posts - done.length },
    })
    done.push(...part.done)
    // What was refused is tried first by the next call: where all of a call is, the next one would find the same.
    if (part.left === 0 || part.done.length === 0) return { done, refused: part.refused }
  }
}

/**
 * Offered before an account goes: what waits for it goes to another one of its platform. Another brand's is another client's: only
 * the one other account of the same brand is proposed.
 */
export function MovePosts({ account, posts }: { account: Account; posts: number }) {
  const { data: accounts = [] } = useQuery(accountsQuery())
  const others = accounts.filter(
    ({ account_id, platform }) => platform === account.platform && account_id !== account.account_id,
  )
  const { data: brands = [] } = useQuery(brandsQuery)
  const siblings = others.filter(({ brand_id }) => brand_id === account.brand_id)
  const [chosen, setChosen] = useState<number | null>(null)
  const proposed = siblings.length === 1 ? siblings[0] : undefined
  const to = others.find(({ account_id }) => account_id === chosen) ?? proposed
  const groups = brands
    .toSorted((a, b) => Number(b.brand_id === account.brand_id) - Number(a.brand_id === account.brand_id))
    .map(({ brand_id, title }) => ({
      group: title,
      items: others
        .filter((one) => one.brand_id === brand_id)
        .map((one) => ({ value: String(one.account_id), label: accountName(one) })),
    }))
    .filter(({ items }) => items.length > 0)
  const otherBrand =
    to !== undefined && to.brand_id !== account.brand_id
      ? brands.find(({ brand_id }) => brand_id === to.brand_id)
      : undefined
  const move = useMutation({
    mutationFn: (other: Account) => moveAll(account, other, posts),
    onSuccess: ({ done }, { username, display_name }) => {
      const moved = done.length === 1 ? '1 post goes' : `${done.length} posts go`
      announce({ kind: 'done', message: `${moved} to ${accountName({ username, display_name })} now.` })
    },
    onSettled: () => {
      void queryClient.invalidateQueries(ANY_POSTS)
      return queryClient.invalidateQueries(ANY_WAITING)
    },
  })
  if (others.length === 0) return null
  const stay = move.data?.refused[0]
  return (
    <Group align="flex-end" gap="8px" mt="12px">
      <NativeSelect
        size="xs"
        label="Post them to another account instead"
        value={to?.account_id ?? ''}
        data={[...(to ? [] : [{ value: '', label: 'Choose an account' }]), ...groups]}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
      />
      <Button
        size="xs"
        variant="default"
        disabled={to === undefined}
        loading={move.isPending}
        onClick={() => to && move.mutate(to)}
      >
        Move posts
      </Button>
      {otherBrand && <p className={classes.otherBrand}>{`This account belongs to ${otherBrand.title}.`}</p>}
      {move.error && <span role="alert">{messageOf(move.error, TEXTS.unknownError)}</span>}
      {stay !== undefined && <span role="alert">Not every post could be moved. {stay.message}</span>}
    </Group>
  )
}

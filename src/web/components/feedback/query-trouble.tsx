import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Trouble } from './trouble.tsx'

type Props = {
  /** What could not be had. */
  query: { readonly isFetching: boolean; readonly refetch: () => Promise<unknown> }
  children: ReactNode
}

/** What was asked for did not come, and can be asked for again. */
export function QueryTrouble({ query, children }: Props) {
  return (
    <Trouble
      actions={
        <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          Try again
        </Button>
      }
    >
      {children}
    </Trouble>
  )
}

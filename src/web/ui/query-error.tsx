import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { InlineAlert } from './inline-alert.tsx'

type Props = {
  query: { readonly isFetching: boolean; readonly refetch: () => Promise<unknown> }
  children: ReactNode
}

/** The error of a failed query, with a retry button. */
export function QueryError({ query, children }: Props) {
  return (
    <InlineAlert
      actions={
        <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          Try again
        </Button>
      }
    >
      {children}
    </InlineAlert>
  )
}

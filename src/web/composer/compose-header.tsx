import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { draftsQuery } from '#web/api/queries.ts'
import { PageHeader } from '#web/ui/page-header.tsx'
import { PATHS } from '#web/lib/paths.ts'

type Props = { note?: ReactNode; action?: ReactNode; isEdit?: boolean }

/** The title, what is saved, and the way to the drafts. */
export function ComposeHeader({ note, action, isEdit = false }: Props) {
  const drafts = useQuery(draftsQuery('false'))
  const count = drafts.data?.items.length ?? 0
  return (
    <PageHeader
      title={isEdit ? 'Edit post' : 'New post'}
      aside={
        <>
          {note}
          {count > 0 && !isEdit && (
            <Button size="compact-sm" variant="subtle" flex="none" component={Link} to={PATHS.drafts}>
              Drafts ({count})
            </Button>
          )}
          {action}
        </>
      }
    />
  )
}

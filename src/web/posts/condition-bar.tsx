import { Button, Group } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { POST_SEARCH_MAX_CHARS } from '#contract/limits.ts'
import type { PostConditions } from '#web/api/queries.ts'
import { PATHS } from '#web/lib/paths.ts'
import { ListFilters } from '#web/platforms/list-filters.tsx'
import { SearchField } from '#web/ui/search-field.tsx'
import classes from './posts.module.css'

type Props = { conditions: PostConditions; onChange: (conditions: PostConditions) => void }

/** Searches captions, and narrows the list to a brand, an account, a platform or some days. */
export function ConditionBar({ conditions, onChange }: Props) {
  const change = (its: Partial<PostConditions>) => onChange({ ...conditions, ...its })
  return (
    <Group component="search" gap="xs" mb="sm">
      <CaptionSearch
        value={conditions.search ?? ''}
        onSearch={(search) => change({ search: search || undefined })}
      />
      <ListFilters conditions={conditions} onChange={change} />
      <Button component={Link} to={PATHS.import} variant="subtle" px="xs" ml="auto">
        Import and export
      </Button>
    </Group>
  )
}

const TYPING_MS = 300

/** Searches once typing pauses. */
function CaptionSearch({ value, onSearch }: { value: string; onSearch: (search: string) => void }) {
  const [typed, setTyped] = useState(value)
  const sent = useRef(value)
  const send = useDebouncedCallback((search: string) => {
    sent.current = search.trim()
    onSearch(search.trim())
  }, TYPING_MS)
  useEffect(() => {
    // Changed by something else, such as a link or "Clear filters".
    if (value === sent.current) return
    sent.current = value
    setTyped(value)
  }, [value])
  return (
    <SearchField
      label="Search captions"
      value={typed}
      onChange={(search) => {
        setTyped(search)
        send(search)
      }}
      className={classes.search}
      maxLength={POST_SEARCH_MAX_CHARS}
    />
  )
}

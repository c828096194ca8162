import { POSTS_COUNTED_MAX } from '#contract/limits.ts'
import { POST_COUNTS, type PostCount } from '#contract/posts.ts'
import { FilterChip } from '#web/ui/filter-chip.tsx'
import classes from './queue.module.css'

type Props = {
  chosen: PostCount
  counts: Readonly<Record<PostCount, number>> | undefined
  onChoose: (filter: PostCount) => void
}

export function Filters({ chosen, counts, onChoose }: Props) {
  // Few people post drafts or cancel posts: those who do get a filter for them.
  const isEmptyAndRare = (filter: PostCount) => RARE.has(filter) && filter !== chosen && !counts?.[filter]
  return (
    <fieldset className={classes.filters} aria-label="Show">
      {POST_COUNTS.filter((filter) => !isEmptyAndRare(filter)).map((filter) => {
        const count = COUNTED.has(filter) ? (counts?.[filter] ?? 0) : 0
        return (
          <FilterChip key={filter} isChosen={filter === chosen} onChoose={() => onChoose(filter)}>
            {FILTER_WORDS[filter]}
            {count > 0 && (
              <span className={classes.count}> {count < POSTS_COUNTED_MAX ? count : `${count}+`}</span>
            )}
          </FilterChip>
        )
      })}
    </fieldset>
  )
}

const RARE: ReadonlySet<PostCount> = new Set(['in_inbox', 'cancelled'])

/** The filters that show a count: those with work left. */
const COUNTED: ReadonlySet<PostCount> = new Set(['attention', 'scheduled', 'publishing', 'failed'])

export const FILTER_WORDS: Record<PostCount, string> = {
  all: 'All',
  attention: 'Needs attention',
  scheduled: 'Scheduled',
  publishing: 'Publishing',
  published: 'Published',
  in_inbox: 'In the inbox',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

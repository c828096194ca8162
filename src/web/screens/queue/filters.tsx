import { POST_FILTERS, type PostFilter } from '#contract/posts.ts'
import classes from './queue.module.css'

type Props = {
  chosen: PostFilter
  counts: Readonly<Record<PostFilter, number>> | undefined
  onChoose: (filter: PostFilter) => void
}

export function Filters({ chosen, counts, onChoose }: Props) {
  return (
    <fieldset className={classes.filters} aria-label="Show">
      {POST_FILTERS.map((filter) => {
        const count = COUNTED.has(filter) ? (counts?.[filter] ?? 0) : 0
        return (
          <button
            key={filter}
            type="button"
            className={classes.filter}
            aria-pressed={filter === chosen}
            onClick={() => onChoose(filter)}
          >
            {WORDS[filter]}
            {count > 0 && <span className={classes.count}> {count}</span>}
          </button>
        )
      })}
    </fieldset>
  )
}

/** What is over needs no number. */
const COUNTED: ReadonlySet<PostFilter> = new Set(['attention', 'scheduled', 'publishing', 'failed'])

const WORDS: Record<PostFilter, string> = {
  all: 'All',
  attention: 'Needs attention',
  scheduled: 'Scheduled',
  publishing: 'Publishing',
  published: 'Published',
  failed: 'Failed',
}

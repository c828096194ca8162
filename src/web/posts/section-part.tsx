import { Button, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { dayName, dayOf } from '#web/lib/moments.ts'
import type { Clock } from './post.ts'
import type { Entry, Section } from './queue-entries.ts'
import classes from './post-list.module.css'
import { PlacedEntry, type Placed } from './placed.tsx'
import { focusPost, type OpenedRows, PostRow, type Selecting } from './post-row.tsx'

type Item = { readonly entry: Entry; readonly place: Placed }
type Props = Clock & { section: Section; items: readonly Item[]; rows: OpenedRows; selecting: Selecting }

/** What is rendered of one section: its heading, days with posts, and a button for more, as far as they are in view. */
export function SectionPart({ section, items, zone, now, rows, selecting }: Props) {
  const placeOfKind = (kind: Entry['kind']) => items.find(({ entry }) => entry.kind === kind)?.place
  const [heading, more] = [placeOfKind('heading'), placeOfKind('more')]
  const days = Map.groupBy(
    items.filter(({ entry }) => entry.kind === 'day' || entry.kind === 'post'),
    ({ entry }) => entry.day,
  )
  const today = dayOf(new Date(now).toISOString(), zone)
  const title = <h2>{section.title}</h2>
  return (
    <section aria-label={section.title}>
      {heading && (
        <PlacedEntry {...heading} className={classes.heading}>
          {section.isAlone ? <VisuallyHidden>{title}</VisuallyHidden> : title}
        </PlacedEntry>
      )}
      {[...days].map(([day, own]) => (
        <Day
          key={day}
          title={section.title}
          name={day === null ? null : dayName(day, today)}
          heading={own.find(({ entry }) => entry.kind === 'day')?.place}
        >
          {own.map(
            ({ entry, place }) =>
              entry.kind === 'post' && (
                <PostRow
                  key={entry.key}
                  post={entry.post}
                  zone={zone}
                  now={now}
                  isDated={day === null}
                  isFirst={entry.isFirst}
                  isLast={entry.isLast}
                  rows={rows}
                  isSelected={selecting.selected.has(entry.post.post_id)}
                  onSelect={selecting.onSelect}
                  {...place}
                />
              ),
          )}
        </Day>
      ))}
      {more && (
        <PlacedEntry {...more} className={classes.more}>
          <ShowMore section={section} />
        </PlacedEntry>
      )}
    </section>
  )
}

type DayProps = {
  title: string
  /** null: the section has no days. */
  name: string | null
  /** The place of its heading, while that is in view. */
  heading: Placed | undefined
  children: ReactNode
}

function Day({ title, name, heading, children }: DayProps) {
  const posts = <ul>{children}</ul>
  if (name === null) return posts
  return (
    <section aria-label={`${title} ${name}`}>
      {heading && (
        <PlacedEntry {...heading} className={classes.day}>
          <h3>{name}</h3>
        </PlacedEntry>
      )}
      {posts}
    </section>
  )
}

function ShowMore({ section: { title, query } }: { section: Section }) {
  /** The button may disappear, so the focus moves to the first new post. */
  const showMore = async () => {
    const { data } = await query.fetchNextPage()
    const first = data?.pages.at(-1)?.items[0]
    if (first) requestAnimationFrame(() => focusPost(first.post_id))
  }
  return (
    <Button
      variant="default"
      loading={query.isFetchingNextPage}
      onClick={() => void showMore()}
      aria-label={`Show more: ${title}`}
    >
      Show more
    </Button>
  )
}

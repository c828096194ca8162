import { Button } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { accountName } from '#contract/accounts.ts'
import type { PostDetail } from '#contract/posts.ts'
import { cutText } from '#contract/well-formed.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { namedDayAndTime } from '#web/lib/moments.ts'
import classes from './composer.module.css'

type Props = {
  /** As it was when the changes began. */
  before: PostDetail
  theirs: PostDetail | null
  isRestored: boolean
  zone: string
  now: number
  onKeepMine: () => void
  /** Goes on from the post as it is. */
  onDiscard: () => void
}

/** Notes before a post is changed: another tab has changed it, or this browser had kept changes. */
export function EditNotes({ before, theirs, isRestored, zone, now, ...on }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const isConflict = theirs !== null
  // It was found at the bottom of the page, by pressing the button there.
  useEffect(() => {
    if (isConflict) place.current?.scrollIntoView({ block: 'center' })
  }, [isConflict])
  const changed = theirs ? differences(before, theirs, { zone, now }) : []
  if (theirs)
    return (
      <div ref={place}>
        <InlineAlert
          tone="attention"
          title="This post was changed elsewhere."
          actions={
            <>
              <Button size="xs" variant="default" onClick={on.onKeepMine}>
                Keep my changes
              </Button>
              <Button size="xs" variant="default" onClick={on.onDiscard}>
                Use the other version
              </Button>
            </>
          }
        >
          {isRestored ? 'Your unsaved changes are older.' : 'Your changes are not saved.'}
          {changed.length > 0 && (
            <ul className={classes.differences}>
              {changed.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          )}
        </InlineAlert>
      </div>
    )
  if (!isRestored) return null
  return (
    <InlineAlert
      tone="note"
      live={false}
      actions={
        <Button size="xs" variant="default" onClick={on.onDiscard}>
          Discard changes
        </Button>
      }
    >
      Your earlier changes are back. They are not saved yet.
    </InlineAlert>
  )
}

/** The changes of another tab, a sentence each. */
function differences(
  before: PostDetail,
  after: PostDetail,
  at: { zone: string; now: number },
): readonly string[] {
  const time = ({ publish_at }: PostDetail) =>
    publish_at === null ? 'as soon as possible' : namedDayAndTime(publish_at, at)
  const [had, has] = [names(before), names(after)]
  const added = has.filter((name) => !had.includes(name))
  const removed = had.filter((name) => !has.includes(name))
  const found = [
    before.publish_at !== after.publish_at && `New time: ${time(after)}.`,
    before.text !== after.text && `The caption is now: “${shortened(after.text)}”`,
    before.video.video_id !== after.video.video_id && `The video is now ${after.video.filename}.`,
    added.length > 0 && `Added: ${added.join(', ')}.`,
    removed.length > 0 && `Removed: ${removed.join(', ')}.`,
  ].filter((one) => one !== false)
  if (found.length > 0) return found
  return sent(before) === sent(after) ? [] : ['Captions or options for some accounts changed.']
}

const names = ({ deliveries }: PostDetail): readonly string[] =>
  deliveries.filter(({ status }) => status !== 'cancelled').map((one) => accountName(one))

const sent = ({ targets }: PostDetail): string =>
  JSON.stringify(targets.map(({ text, options }) => [text, options]))

const SHOWN_MAX = 120
const shortened = (text: string): string =>
  text.length > SHOWN_MAX ? `${cutText(text, SHOWN_MAX).trimEnd()} …` : text

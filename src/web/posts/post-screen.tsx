import { Button, Stack, Text } from '@mantine/core'
import { IconArrowLeft, IconCopy, IconEdit, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { PostId } from '#contract/ids.ts'
import type { PostDetail } from '#contract/posts.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { cutText } from '#contract/well-formed.ts'
import { ApiProblem } from '#web/api/api.ts'
import { postQuery } from '#web/api/queries.ts'
import { Card } from '#web/ui/card.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { DrawnMessage } from '#web/ui/drawn-message.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed, RowsSkeleton } from '#web/ui/skeletons.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { useZone, ZoneNote } from '#web/ui/zone.tsx'
import { useNow } from '#web/lib/use-now.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { copyOf, editOf, PATHS } from '#web/lib/paths.ts'
import { DeleteQuestion } from './delete-question.tsx'
import { LiveHeader } from './live-header.tsx'
import { isEditable, timeOfPost, titleOf } from './post.ts'
import { useLivePosts } from './use-live-posts.ts'
import { DeliverySection } from './delivery-section.tsx'
import { Player } from './player.tsx'
import classes from './post.module.css'

/** One post: its video, its captions, and what became of it at each account. */
export function PostScreen() {
  const postId = PostId.safeParse(useParams()['postId']).data
  return postId === undefined ? <NoPost /> : <OnePost key={postId} postId={postId} />
}

function OnePost({ postId }: { postId: PostId }) {
  const detail = useQuery(postQuery(postId))
  if (detail.data) return <Shown post={detail.data} />
  if (detail.error instanceof ApiProblem && detail.error.code === 'not_found') return <NoPost />
  return (
    <>
      <PageHeader title="Post" />
      {detail.isError ? (
        <QueryError query={detail}>{messageOf(detail.error, TEXTS.unknownError)}</QueryError>
      ) : (
        <Delayed>
          <RowsSkeleton />
        </Delayed>
      )}
    </>
  )
}

const NoPost = () => (
  <>
    <PageHeader title="Post not found" />
    <DrawnMessage
      text="There's no such post. It may have been deleted."
      action={
        <Button component={Link} to={PATHS.queue}>
          Go to the queue
        </Button>
      }
    />
  </>
)

/** A caption can be one line of thousands of characters. */
const TITLE_MAX_CHARS = 80

function Shown({ post }: { post: PostDetail }) {
  const { link, outcomes } = useLivePosts()
  const zone = useZone()
  const now = useNow()
  const title = titleOf(post)
  return (
    <>
      <Link to={PATHS.queue} className={classes.back}>
        <IconArrowLeft {...ICON} size={16} />
        {LABELS.queue}
      </Link>
      <LiveHeader
        title={title.length > TITLE_MAX_CHARS ? `${cutText(title, TITLE_MAX_CHARS - 1)}…` : title}
        link={link}
        outcomes={outcomes}
        aside={<ZoneNote />}
        action={<Actions post={post} />}
      />
      <div className={classes.columns}>
        <Player post={post} />
        <Stack miw={0}>
          <Card>
            <Text c="dimmed" size="xs" mb="sm">
              {[post.brand_title, timeOfPost(post, { zone, now })]
                .filter((part) => part !== null)
                .join(' · ')}
            </Text>
            <h2 className={classes.heading}>Caption</h2>
            <p className={classes.caption}>{post.text.trim() || <em>No caption.</em>}</p>
          </Card>
          {post.deliveries.map((delivery) => (
            <DeliverySection
              key={delivery.delivery_id}
              delivery={delivery}
              post={post}
              zone={zone}
              now={now}
            />
          ))}
        </Stack>
      </div>
    </>
  )
}

function Actions({ post }: { post: PostDetail }) {
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const remove = useRef<HTMLButtonElement>(null)
  return (
    <div className={classes.actions}>
      <Button
        ref={remove}
        variant="default"
        leftSection={<IconTrash {...ICON} />}
        onClick={() => setIsAsking(true)}
      >
        Delete
      </Button>
      <Button
        variant="default"
        component={Link}
        to={copyOf(post.post_id, 'all')}
        leftSection={<IconCopy {...ICON} />}
      >
        Duplicate
      </Button>
      {post.deliveries.some(isEditable) && (
        <Button component={Link} to={editOf(post.post_id)} leftSection={<IconEdit {...ICON} />}>
          Edit
        </Button>
      )}
      {isAsking && (
        <div className={classes.question}>
          <DeleteQuestion
            post={post}
            asker={remove}
            onKeep={() => setIsAsking(false)}
            onDeleted={() => void navigate(PATHS.queue)}
          />
        </div>
      )}
    </div>
  )
}

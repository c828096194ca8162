import { Box, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconArrowLeft, IconCopy, IconEdit } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useRef, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { accountOnPlatform } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { type DeliveryId, PostId } from '#contract/ids.ts'
import type { Post, PostDetail } from '#contract/posts.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { cutText } from '#contract/well-formed.ts'
import { ApiProblem } from '#web/api/api.ts'
import { playbackQuery, postQuery } from '#web/api/queries.ts'
import { formatBytes, formatPlayTime } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { PATHS, copyPath, editPath } from '#web/lib/paths.ts'
import { useNow } from '#web/lib/use-now.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { namedDayAndTime } from '#web/lib/moments.ts'
import { Card } from '#web/ui/card.tsx'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { Delayed, RowsSkeleton } from '#web/ui/skeletons.tsx'
import { Badge, DeliveryBadge } from '#web/ui/status.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { ZoneChoice, useZone } from '#web/ui/zone.tsx'
import { DeliveryProblem, hasProblem } from './delivery-problem.tsx'
import { FollowUpProblems, hasFollowUpProblem } from './follow-up-problem.tsx'
import { InboxNote, isInInbox } from './inbox-note.tsx'
import { LiveHeader } from './live-header.tsx'
import { OpenLink } from './post-links.tsx'
import { PostMenu, type Question } from './post-menu.tsx'
import { PostQuestion } from './post-question.tsx'
import { summarize } from './post-summary.ts'
import { isSpread, timeOfPost, titleOf } from './post.ts'
import classes from './posts.module.css'
import { groupByCause, SharedProblem } from './shared-problem.tsx'
import { DeliveryEvents } from './timeline.tsx'
import { useLivePosts } from './use-live-posts.ts'

const PostResults = lazyPart(() => import('#web/results/post-results.tsx'))

export function PostScreen() {
  const postId = PostId.safeParse(useParams()['postId']).data
  return postId === undefined ? <NoPost /> : <OnePost key={postId} postId={postId} />
}

function OnePost({ postId }: { postId: PostId }) {
  const detail = useQuery(postQuery(postId))
  if (detail.data) return <PostDetails post={detail.data} />
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
    <CenteredMessage
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

function PostDetails({ post }: { post: PostDetail }) {
  const { link, outcomes } = useLivePosts()
  const zone = useZone()
  const now = useNow()
  const navigate = useNavigate()
  const [question, setQuestion] = useState<Question | null>(null)
  const menu = useRef<HTMLButtonElement>(null)
  const title = titleOf(post)
  const { look, rest } = summarize(post.deliveries)
  const closeQuestion = () => setQuestion(null)
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
        aside={<ZoneChoice />}
        action={
          <Group gap="xs" wrap="nowrap" grow preventGrowOverflow={false}>
            {post.deliveries.some(({ editable }) => editable) && (
              <Button component={Link} to={editPath(post.post_id)} leftSection={<IconEdit {...ICON} />}>
                Edit
              </Button>
            )}
            <Button
              variant="default"
              component={Link}
              to={copyPath(post.post_id, 'all')}
              leftSection={<IconCopy {...ICON} />}
            >
              Duplicate
            </Button>
            <PostMenu button={menu} post={post} title={title} onAsk={setQuestion} />
          </Group>
        }
      />
      {/* Over the page, so that nothing on it moves. */}
      <Modal opened={question !== null} onClose={closeQuestion} title={title} returnFocus={false}>
        <PostQuestion
          {...{ question, post, zone, now }}
          asker={menu}
          onKeep={closeQuestion}
          onDone={() => {
            closeQuestion()
            menu.current?.focus()
          }}
          onDeleted={() => void navigate(PATHS.queue)}
        />
      </Modal>
      <div className={classes.columns}>
        <Player post={post} />
        <Stack miw={0}>
          <Card>
            <Group gap="0.25rem 0.75rem" mb="sm" fz="xs" c="dimmed">
              <Badge {...look} />
              {rest !== '' && <span>{rest.replace(' · ', '')}</span>}
              <span>
                {post.brand_title !== null && (
                  <>
                    <bdi>{post.brand_title}</bdi> ·{' '}
                  </>
                )}
                {timeOfPost(post, { zone, now })}
              </span>
            </Group>
            <Text component="h2" fw={600}>
              Caption
            </Text>
            <p className={classes.caption} dir="auto">
              {post.text.trim() || <em>No caption.</em>}
            </p>
          </Card>
          {post.deliveries.some(({ status }) => status === 'published') && (
            <Suspense>
              <PostResults postId={post.post_id} />
            </Suspense>
          )}
          {[...groupByCause(post)].map(([cause, deliveries]) => (
            <AccountsGroup
              key={cause}
              deliveries={deliveries}
              post={post}
              zone={zone}
              now={now}
              onCancel={setQuestion}
            />
          ))}
        </Stack>
      </div>
    </>
  )
}

/** Shows the picture where the file was deleted since. */
function Player({ post: { video } }: { post: Post }) {
  const { video_id, filename, size, duration_s, width, height, poster_url } = video
  const playback = useQuery(playbackQuery(video_id))
  const facts = [
    formatPlayTime(duration_s),
    formatBytes(size),
    width !== null && height !== null && `${width} × ${height}`,
  ]
  return (
    <Card className={classes.media ?? ''}>
      {playback.data ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody has captions for an upload
        <video
          className={classes.player}
          src={playback.data.url}
          poster={poster_url ?? undefined}
          controls
          preload="metadata"
          style={{ aspectRatio: `${width ?? 9} / ${height ?? 16}` }}
          playsInline
          aria-label={filename}
        />
      ) : (
        <Box w="100%" maw={{ base: '25dvh', md: '100%' }} mx="auto">
          <Thumbnail src={poster_url} size="fill" />
        </Box>
      )}
      {playback.isError && (
        <Text c="dimmed" size="xs">
          This video can no longer be played.
        </Text>
      )}
      <Text size="xs" fw={600} className={classes.caption} dir="auto">
        {filename}
      </Text>
      <Text c="dimmed" size="xs">
        {facts.filter((part) => part !== false).join(' · ')}
      </Text>
    </Card>
  )
}

type GroupProps = {
  deliveries: readonly Delivery[]
  post: PostDetail
  zone: string
  now: number
  onCancel: (deliveryId: DeliveryId) => void
}

/** More accounts with the same outcome are shown on demand. */
const ACCOUNTS_SHOWN = 6

/** The accounts of a post with one outcome: its cause is said once, with what can be done for all of them. */
function AccountsGroup({ deliveries, post, zone, now, onCancel }: GroupProps) {
  const [isEach, setEach] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const isSaidOnce = !isEach && deliveries.length > 1 && deliveries.every(hasProblem)
  const count = deliveries.length
  return (
    <Stack ref={list} tabIndex={-1}>
      {isSaidOnce && (
        <SharedProblem
          post={post}
          deliveries={deliveries}
          onShowEach={() => setEach(true)}
          onDone={() => list.current?.focus()}
        />
      )}
      {(isOpen ? deliveries : deliveries.slice(0, ACCOUNTS_SHOWN)).map((delivery) => (
        <DeliverySection
          key={delivery.delivery_id}
          delivery={delivery}
          post={post}
          zone={zone}
          now={now}
          isSaidAbove={isSaidOnce}
          onCancel={() => onCancel(delivery.delivery_id)}
        />
      ))}
      {count > ACCOUNTS_SHOWN && (
        <Button variant="default" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Show ${ACCOUNTS_SHOWN} of ${count} accounts` : `Show all ${count} accounts`}
        </Button>
      )}
    </Stack>
  )
}

type DeliverySectionProps = Omit<GroupProps, 'deliveries' | 'onCancel'> & {
  delivery: Delivery
  /** Its problem is said above, for several accounts at once. */
  isSaidAbove: boolean
  onCancel: () => void
}

function DeliverySection({ delivery, post, zone, now, isSaidAbove, onCancel }: DeliverySectionProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const focusHeading = () => heading.current?.focus()
  const text = post.targets.find(({ delivery_id }) => delivery_id === delivery.delivery_id)?.text
  const id = `account-${delivery.delivery_id}`
  // A problem has this button itself.
  const canCancel = delivery.actions.includes('cancel') && (isSaidAbove || !hasProblem(delivery))
  return (
    <section aria-labelledby={id}>
      <Card>
        <Stack gap="xs">
          <Group gap="0.25rem 1rem" mih="2rem">
            <Text component="h2" fw={600} id={id} ref={heading} tabIndex={-1} maw="100%">
              <AccountName of={delivery} />
            </Text>
            <DeliveryBadge of={delivery} />
            {isSpread(post) && delivery.status === 'scheduled' && delivery.due_at !== null && (
              <Text span size="xs" c="dimmed">
                {namedDayAndTime(delivery.due_at, { zone, now })}
              </Text>
            )}
            <Group component="span" gap="sm" ml="auto">
              {delivery.url !== null && <OpenLink delivery={delivery} url={delivery.url} />}
              {canCancel && (
                <Button
                  size="xs"
                  variant="default"
                  onClick={onCancel}
                  aria-label={`Cancel post: ${accountOnPlatform(delivery)}`}
                >
                  Cancel post
                </Button>
              )}
            </Group>
          </Group>
          {!isSaidAbove && hasProblem(delivery) && (
            <DeliveryProblem
              delivery={delivery}
              brandId={post.brand_id}
              named={false}
              zone={zone}
              onActionDone={focusHeading}
            />
          )}
          {isInInbox(delivery) && <InboxNote delivery={delivery} named={false} now={now} />}
          {hasFollowUpProblem(delivery) && (
            <FollowUpProblems delivery={delivery} named={false} onActionDone={focusHeading} />
          )}
          {text !== undefined && text !== post.text && (
            <>
              <h3 className={classes.label}>Caption for this account</h3>
              <p className={classes.caption} dir="auto">
                {text.trim() || <em>No caption.</em>}
              </p>
            </>
          )}
          <FollowUps of={delivery} />
          <details className={classes.details} open={post.deliveries.length === 1}>
            <summary>Timeline</summary>
            <Box mt="xs">
              <DeliveryEvents detail={post} of={delivery.delivery_id} zone={zone} />
            </Box>
          </details>
        </Stack>
      </Card>
    </section>
  )
}

/** Lists follow-ups that go well: problems are named above with what can be done, and a link that was found is shown itself. */
function FollowUps({ of: { follow_ups, url } }: { of: Delivery }) {
  const quiet = follow_ups.filter(
    ({ kind, needs_attention }) => !needs_attention && !(kind === 'public_link' && url !== null),
  )
  if (quiet.length === 0) return null
  return (
    <>
      <h3 className={classes.label}>After publishing</h3>
      <Text component="ul" size="xs">
        {quiet.map(({ kind, message }) => (
          <li key={kind}>{message}</li>
        ))}
      </Text>
    </>
  )
}

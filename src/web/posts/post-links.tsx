import { IconExternalLink } from '@tabler/icons-react'
import { Link } from 'react-router'
import { accountName } from '#contract/accounts.ts'
import type { Delivery } from '#contract/deliveries.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Post } from '#contract/posts.ts'
import { postPath } from '#web/lib/paths.ts'
import { ICON } from '#web/ui/icons.tsx'
import { titleOf } from './post.ts'
import classes from './posts.module.css'

/** A post's title in two lines at most, which leads to the post. */
export const PostTitle = ({ post, Heading }: { post: Post; Heading: 'h3' | 'h4' }) => (
  <Heading className={classes.title} dir="auto">
    <Link to={postPath(post.post_id)}>{titleOf(post)}</Link>
  </Heading>
)

/** Opens a live post on its platform. */
export const OpenLink = ({ delivery, url }: { delivery: Delivery; url: string }) => (
  <a
    href={url}
    target="_blank"
    rel="noreferrer"
    className={classes.open}
    aria-label={`Open on ${PLATFORM_NAMES[delivery.platform]}: ${accountName(delivery)}`}
  >
    Open on {PLATFORM_NAMES[delivery.platform]}
    <IconExternalLink {...ICON} size={14} />
  </a>
)

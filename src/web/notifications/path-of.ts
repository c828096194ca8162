import { LINKED_PAGES } from '#contract/http/addresses.ts'
import type { Notification } from '#contract/notifications.ts'

/** The page of what a notification is about. */
export const pathOf = ({ post_id }: Pick<Notification, 'post_id'>): string =>
  post_id === null ? LINKED_PAGES.accounts : LINKED_PAGES.post(post_id)

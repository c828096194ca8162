import type { Delivery } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'

/** The caption's first line, or the file name of a post without a caption. */
export const titleOf = ({ text, video }: Post): string => text.trim().split('\n')[0] || video.filename

/** When a post is due, or was created if it is due at once. */
export const momentOf = ({ publish_at, created_at }: Post): string => publish_at ?? created_at

/** Whether it is publishing right now. */
export const isUnderWay = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'preparing' || status === 'committing' || status === 'processing'

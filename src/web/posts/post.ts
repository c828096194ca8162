import type { Delivery } from '#contract/deliveries.ts'
import type { Post } from '#contract/posts.ts'

/** The text's first line; a post without a text goes by its file. */
export const titleOf = ({ text, video }: Post): string => text.trim().split('\n')[0] || video.filename

/** When a post goes out, or was told to. */
export const momentOf = ({ publish_at, created_at }: Post): string => publish_at ?? created_at

/** Whether it is going out right now. */
export const isUnderWay = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'preparing' || status === 'committing' || status === 'processing'

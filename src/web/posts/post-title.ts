import type { Post } from '#contract/posts.ts'

/** The text's first line; a post without a text goes by its file. */
export const titleOf = ({ text, video }: Post): string => text.trim().split('\n')[0] || video.filename

/** ".mp4": what a video keeps when it is renamed; empty: its name has none. */
export const extensionOf = (filename: string): string => /\.[\p{L}\p{N}]{1,8}$/u.exec(filename)?.[0] ?? ''

/** Tags with the same key are one tag; the database computes the same in `video_tags.key`. */
export const tagKey = (tag: string): string => tag.normalize('NFKC').toLowerCase()

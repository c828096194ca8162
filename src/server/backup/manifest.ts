import { z } from 'zod'

/** `backups/TIME.json`, which says what a backup consists of. Names of tables and columns are the database's own. */
export const Manifest = z.object({
  format: z.literal(1),
  created_at: z.iso.datetime(),
  /** The id that the database had. */
  database: z.string(),
  /** Tells the key that decrypts it from others, without saying anything of it. */
  key_mark: z.string(),
  migrations: z.array(z.object({ version: z.int(), name: z.string(), checksum: z.string() })),
  /**
   * In the order in which they can be filled. `sha256`: of the rows as PostgreSQL's COPY writes them, before they are compressed; `key`: of
   * the file with them, in `content`.
   */
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int(),
      sha256: z.string(),
      key: z.string(),
    }),
  ),
  /** The last ids that were given. */
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Videos and pictures, in `content`, which all backups share. */
  files: z.array(z.object({ key: z.string(), size: z.int(), sha256: z.string() })),
})
export type Manifest = z.infer<typeof Manifest>
export type BackedUpFile = Manifest['files'][number]

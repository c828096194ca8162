import { z } from 'zod'
import { BrandId } from './ids.ts'
import { BRAND_TITLE_MAX_CHARS, BRAND_TITLE_MIN_CHARS, BRAND_TITLE_PATTERN } from './limits.ts'
import { TEXTS } from './texts.ts'

export const BrandTitle = z
  .string()
  // White space is allowed; what breaks a line or moves a column becomes a space, since a name is shown on one line.
  .overwrite((title) => title.replaceAll(/[\t-\r\u0085\u2028\u2029]+/g, ' '))
  .trim()
  .min(BRAND_TITLE_MIN_CHARS, TEXTS.brandLength)
  .max(BRAND_TITLE_MAX_CHARS, TEXTS.brandLength)
  .regex(BRAND_TITLE_PATTERN, TEXTS.brandCharacters)

export const Brand = z.object({
  brand_id: BrandId,
  title: z.string(),
  linkedAccounts: z.int().nonnegative(),
  created_at: z.iso.datetime(),
})
export type Brand = z.infer<typeof Brand>

import { z } from 'zod'
import type { Metric } from '#contract/platforms/index.ts'
import type { Numbers } from '#domain/results/reading.ts'

/** A count, as a number or in digits. Anything else counts as not told: one odd figure must not hide the others. */
export const Count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
  ])
  .transform(Math.round)
  .pipe(z.int().nonnegative())
  .optional()
  .catch(undefined)

/** Only what was told: no value is not 0. */
export const toNumbers = (told: { readonly [metric in Metric]?: number | undefined }): Numbers =>
  Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))

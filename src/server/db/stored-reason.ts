import { z } from 'zod'
import { Reason as WordedReason } from '#contract/deliveries.ts'
import { PLATFORM_IDS } from '#contract/platforms/index.ts'
import {
  ACCESS_REASONS,
  ANSWERS,
  type Reason,
  REASONS,
  type TextRef,
  WAITS,
  type Words,
  formatReasonText,
} from '#domain/delivery/reasons.ts'
import { FOLLOW_UP_REASONS } from '#domain/follow-up/reasons.ts'
import { PLATFORM_FACTS } from '#platforms/registry.ts'

/** Every text without parameters, by the name that is stored. */
export const FIXED_TEXTS: ReadonlyMap<string, Words> = new Map(
  [
    ...[REASONS, ACCESS_REASONS, FOLLOW_UP_REASONS, ANSWERS].flatMap((table): Reason[] =>
      Object.values(table),
    ),
    WAITS.spaced,
    WAITS.uploadOfAccount,
    ...PLATFORM_IDS.flatMap((id) => PLATFORM_FACTS[id].failures.map(({ failure }) => failure.reason)),
  ].flatMap((reason) => (reason.text ? [[reason.text.name, reason] as const] : [])),
)

const Text: z.ZodType<TextRef> = z.lazy(() =>
  z.object({
    name: z.string(),
    params: z.array(z.union([z.string(), z.number(), z.null(), Text])).exactOptional(),
    remedy: z.enum(['repeated', 'asked']).exactOptional(),
  }),
)

/** Reads a reason back with its words. Those that an earlier version stored have the words themselves. */
export const StoredReason: z.ZodType<Reason> = z.union([
  WordedReason.omit({ message: true, remedy: true })
    .extend({ text: Text })
    .transform((stored) => ({ ...stored, ...formatReasonText(stored.text, FIXED_TEXTS) })),
  WordedReason,
])

export const StoredAnswer = z.union([
  z
    .object({ at: z.number(), text: Text })
    .transform(({ at, text }) => ({ at, text, message: formatReasonText(text, FIXED_TEXTS).message })),
  z.object({ at: z.number(), message: z.string() }),
])

/** Drops the words of reasons whose text has a name: `StoredReason` words them again. */
export const withoutWords = (record: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([key, field]) => [key, isNamed(field) ? drop(field) : field]),
  )

const isNamed = (field: unknown): field is Partial<Reason> =>
  typeof field === 'object' && field !== null && 'text' in field && field.text !== undefined

const drop = ({
  message: _message,
  remedy: _remedy,
  meanwhile: _meanwhile,
  needs_change: _needsChange,
  ...kept
}: Partial<Reason>) => kept

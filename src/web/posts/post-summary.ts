import type { Delivery } from '#contract/deliveries.ts'
import { STATUS_WORDS } from '#contract/texts.ts'
import { statusWord } from '#web/ui/status-word.ts'
import { type Look, lookOf } from '#web/ui/status.tsx'
import { isOpenFailure } from './post.ts'

/** Worst first. */
const ORDER = [
  'failed',
  'unconfirmed',
  'blocked',
  'missed',
  'preparing',
  'committing',
  'processing',
  'scheduled',
  'in_inbox',
  'published',
  'settled',
  'cancelled',
] as const
const NEED_THE_USER = 4

function rankOf(delivery: Delivery): number {
  const { status, cause } = delivery
  if (status === 'failed') return ORDER.indexOf(isOpenFailure(delivery) ? 'failed' : 'settled')
  return ORDER.indexOf(status === 'blocked' && cause === 'missed' ? 'missed' : status)
}

/** Within a sentence, and the same for all platforms. */
function wordAmongOthers(delivery: Delivery): string {
  const { status } = delivery
  const isOwn = status === 'blocked' || status === 'failed' || status === 'scheduled'
  const word = isOwn ? statusWord(delivery) : STATUS_WORDS[status]
  return word.charAt(0).toLowerCase() + word.slice(1)
}

export const worstFirst = (deliveries: readonly Delivery[]): readonly Delivery[] =>
  deliveries.toSorted((a, b) => rankOf(a) - rankOf(b))

/** The state of all accounts of a post in one: "1 of 6 failed", with the rest: " · 5 published". */
export function summarize(deliveries: readonly Delivery[]): { readonly look: Look; readonly rest: string } {
  const sorted = worstFirst(deliveries)
  const looks = sorted.map((delivery) => lookOf({ ...delivery, progress: null }))
  const [worst] = sorted
  const [look] = looks
  if (worst === undefined || look === undefined) throw new Error('A post has an account.')
  if (looks.every(({ word }) => word === look.word)) return { look, rest: '' }
  const groups = [...Map.groupBy(sorted, wordAmongOthers)].map(([word, own]) => ({ word, count: own.length }))
  const all = deliveries.length
  const published = deliveries.filter(({ status }) => status === 'published').length
  // On its way, and nothing is wrong: what is done counts.
  if (rankOf(worst) >= NEED_THE_USER && published > 0)
    return { look: { ...look, word: `${published} of ${all} published` }, rest: '' }
  const [first, ...others] = groups
  return {
    look: { ...look, word: `${first?.count} of ${all} ${first?.word}` },
    rest: others.map(({ word, count }) => ` · ${count} ${word}`).join(''),
  }
}

import { type FailureRule, nameRules } from '../../kit/failure-rule.ts'
import { BUG, LINK_AGAIN, rejected } from '../../kit/rules.ts'

const WITHHELD = rejected(
  'Instagram does not let Reelay read the numbers of the posts of this account: it was linked without that permission.',
  `${LINK_AGAIN} Leave the permission for insights switched on.`,
)

/** Graph API codes whose meaning differs for numbers. None of them concerns what is posted. */
export const RESULTS_RULES: Readonly<Record<string, FailureRule>> = nameRules('instagram.results', {
  '10': WITHHELD,
  '200': WITHHELD,
  // The page names it for a missing permission; answers had 10 (seen, 2026-09-10).
  '100/33': WITHHELD,
  '100': rejected('Instagram did not accept the request for numbers that Reelay sent.', BUG),
})

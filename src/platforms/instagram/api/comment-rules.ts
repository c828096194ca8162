import { LINK_AGAIN, rejected } from '../../kit/rules.ts'
import { type FailureRule, nameRules } from '../../kit/failure-rule.ts'

const NO_PERMISSION = rejected(
  'Instagram did not let Reelay add the first comment: the account was linked without the permission to comment.',
  `${LINK_AGAIN} Leave the permission for comments ticked, then retry.`,
)

/**
 * Graph API codes whose meaning differs for comments. None of them ends the account's access or pauses its posts: the post is live, only
 * its comment is missing.
 */
export const COMMENT_RULES: Readonly<Record<string, FailureRule>> = nameRules('instagram.comment', {
  '4/2207051': rejected(
    'Instagram suspected spam and may have blocked the first comment.',
    'Check the post in the Instagram app before you add the comment there.',
  ),
  '10': NO_PERMISSION,
  '100/33': rejected(
    'Instagram cannot find the post to comment on.',
    'If the post is there, retry, or add the comment in the Instagram app.',
    [30, 300, 1800],
  ),
  '100': rejected(
    'Instagram did not accept the first comment.',
    'Look at the text, then add the comment in the Instagram app.',
  ),
  '200': NO_PERMISSION,
})

const MAY_NOT_TURN_OFF = rejected(
  'Instagram did not let Reelay turn off comments: the account was linked without the permission for comments.',
  `${LINK_AGAIN} Leave the permission for comments ticked, then retry.`,
)

export const COMMENTS_OFF_RULES: Readonly<Record<string, FailureRule>> = nameRules('instagram.comments_off', {
  '10': MAY_NOT_TURN_OFF,
  '100/33': rejected(
    'Instagram cannot find the post whose comments are to be turned off.',
    'If the post is there, retry, or turn them off in the Instagram app.',
    [30, 300, 1800],
  ),
  '100': rejected('Instagram did not turn off comments.', 'Turn them off in the Instagram app, or retry.'),
  '200': MAY_NOT_TURN_OFF,
})

import type { FailureRule } from '../../kit/failure-rule.ts'
import { LINK_AGAIN, OPERATOR, rejected } from '../../kit/rules.ts'

/** Messages of `api.instagram.com/oauth/access_token`, whose codes tell nothing. */
export const LINK_MESSAGE_RULES: readonly (readonly [RegExp, string, FailureRule])[] = [
  [
    /was not found or was already used|has been used|code has expired|code.*expired/i,
    'code_used',
    rejected('This link attempt was already used or took too long.', LINK_AGAIN),
  ],
  [
    /redirect_uri/i,
    'invalid_redirect_uri',
    rejected(
      "Instagram does not recognise this server's redirect address.",
      `${OPERATOR} to enter it in the app at Meta exactly as Help shows it under Running this server.`,
    ),
  ],
  [
    /insufficient developer role/i,
    'insufficient_developer_role',
    rejected(
      'The app at Meta is still in development, and this account is not one of its testers.',
      `${OPERATOR} to add the account as an Instagram tester; then accept the invitation on instagram.com.`,
    ),
  ],
  [
    /invalid platform app|client secret|client_id/i,
    'invalid_platform_app',
    rejected(
      "Instagram does not recognise this server's app.",
      `${OPERATOR} to check INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET.`,
    ),
  ],
]

export const LINK_REFUSED = rejected('Instagram refused to link the account.', 'Link the account again.')

export function linkRule(message: string): { readonly code: string; readonly rule: FailureRule } {
  const found = LINK_MESSAGE_RULES.find(([words]) => words.test(message))
  return found === undefined
    ? { code: 'link_refused', rule: LINK_REFUSED }
    : { code: found[1], rule: found[2] }
}

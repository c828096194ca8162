import { expect, test } from 'vitest'
import { toFailure } from '../kit/failure-rule.ts'
import { nextActionAfter, type NextAction } from '../kit/next-action.ts'
import { FAILURE_REASONS, findRule, OAUTH_RULES, REJECTION_REASONS } from './api/failures.ts'
import { NOW } from './testing.ts'

// Google's lists, copied from its pages (docs/platforms/youtube.md), so that a missing line in the tables fails a test: the reason, its
// HTTP status, the next action.

type Row = readonly [reason: string, status: number, action: NextAction, seconds?: readonly number[]]

const UNTIL_MIDNIGHT_S = 12 * 3600 + 60

const API: readonly Row[] = [
  ['invalidTitle', 400, 'user'],
  ['invalidDescription', 400, 'user'],
  ['invalidTags', 400, 'user'],
  ['invalidCategoryId', 400, 'user'],
  ['forbiddenPrivacySetting', 403, 'user'],
  ['forbiddenLicenseSetting', 403, 'user'],
  ['invalidVideoMetadata', 400, 'user'],
  ['invalidFilename', 400, 'operator'],
  ['mediaBodyRequired', 400, 'operator'],
  ['missingRequiredParameter', 400, 'operator'],
  ['unexpectedParameter', 400, 'operator'],
  ['unexpectedPart', 400, 'operator'],
  ['parseError', 400, 'operator'],
  ['uploadLimitExceeded', 400, 'wait for quota', [86_400]],
  ['uploadLimitExceeded', 403, 'wait for quota', [86_400]],
  ['authError', 401, 'refresh or relink'],
  ['required', 401, 'refresh or relink'],
  ['expired', 401, 'refresh or relink'],
  ['authorizationRequired', 401, 'refresh or relink'],
  ['UNAUTHENTICATED', 401, 'refresh or relink'],
  ['somethingNew', 401, 'refresh or relink'],
  ['youtubeSignupRequired', 401, 'relink'],
  ['quotaExceeded', 403, 'wait for quota', [UNTIL_MIDNIGHT_S]],
  ['dailyLimitExceeded', 403, 'wait for quota', [UNTIL_MIDNIGHT_S]],
  ['rateLimitExceeded', 403, 'retry', [30]],
  ['userRateLimitExceeded', 429, 'retry', [30]],
  ['insufficientPermissions', 403, 'relink'],
  ['accessNotConfigured', 403, 'wait for quota', [3600]],
  ['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 403, 'relink'],
  ['SERVICE_DISABLED', 403, 'wait for quota', [3600]],
  ['RESOURCE_EXHAUSTED', 429, 'retry', [30]],
  ['authenticatedUserAccountClosed', 403, 'user'],
  ['authenticatedUserAccountSuspended', 403, 'user'],
  ['channelClosed', 403, 'user'],
  ['channelSuspended', 403, 'user'],
  ['authenticatedUserNotChannel', 403, 'relink'],
  ['accountDelegationForbidden', 403, 'relink'],
  ['forbidden', 403, 'user'],
  ['videoNotFound', 404, 'user'],
  ['channelNotFound', 404, 'user'],
  ['playlistNotFound', 404, 'retry', [60, 600]],
  ['alreadyExists', 409, 'retry', [5, 30, 120]],
  ['uploadTooLarge', 413, 'user'],
  ['', 413, 'user'],
  ['uploadRateLimitExceeded', 429, 'retry', [300]],
  ['', 429, 'retry', [30]],
  ['internalError', 500, 'retry'],
  ['backendError', 503, 'retry'],
  ['notReady', 503, 'retry'],
  ['', 502, 'retry'],
]

test.each(API.map((row): readonly [Row] => [row]))('%j', ([reason, status, action, seconds = []]) => {
  const rule = findRule({ status, reason, isDaily: false }, 'uploads', NOW)
  expect(rule).not.toBeNull()
  if (rule !== null) expect(nextActionAfter(toFailure(reason, rule, null))).toEqual({ action, seconds })
})

test('unknown reasons are not guessed at', () => {
  expect(findRule({ status: 400, reason: 'somethingNew', isDaily: false }, 'uploads', NOW)).toBeNull()
  expect(findRule({ status: 403, reason: '', isDaily: false }, 'uploads', NOW)).toBeNull()
})

test('a daily limit in the words of a rate limit waits for the next day', () => {
  const rule = findRule({ status: 429, reason: 'rateLimitExceeded', isDaily: true }, 'uploads', NOW)
  expect(rule).toMatchObject({ kind: 'throttled', limit: true, stops: 'app', retryAfterS: UNTIL_MIDNIGHT_S })
})

test('the uploads of a day are told to be shared by all users of the server', () => {
  const rule = findRule({ status: 403, reason: 'quotaExceeded', isDaily: false }, 'uploads', NOW)
  expect(rule?.message).toContain('All users of this server share them')
})

// Discovery document of 2026-09-24.
test('every reason for which a video fails or is rejected is listed', () => {
  expect(Object.keys(FAILURE_REASONS)).toEqual([
    'conversion',
    'invalidFile',
    'emptyFile',
    'tooSmall',
    'codec',
    'uploadAborted',
  ])
  expect(Object.keys(REJECTION_REASONS)).toEqual([
    'copyright',
    'inappropriate',
    'duplicate',
    'termsOfUse',
    'uploaderAccountSuspended',
    'uploaderAccountClosed',
    'length',
    'claim',
    'trademark',
    'legal',
  ])
})

test.each([
  'invalid_client',
  'unauthorized_client',
  'redirect_uri_mismatch',
  'invalid_request',
  'unsupported_grant_type',
])('%s of the token endpoint is the operator’s to mend', (code) => {
  const rule = OAUTH_RULES[code]
  expect(rule && nextActionAfter(toFailure(code, rule, null)).action).toBe('operator')
})

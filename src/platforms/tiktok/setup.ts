import {
  type AppSetting,
  checkKeyForm,
  checkRedirect,
  type KeyAnswers,
  type SetupFacts,
  type SetupFinding,
} from '../kit/setup.ts'
import type { TikTokConfig } from './api/config.ts'

const CONSOLE = 'https://developers.tiktok.com/apps/'
const AUDIT = 'https://developers.tiktok.com/doc/content-sharing-guidelines/'
/** Content sharing guidelines (2026-09-11): an app that is not audited may post for 5 users in 24 hours. */
const UNAUDITED_USERS = 5

export const SETTINGS: readonly AppSetting[] = [
  { variable: 'TIKTOK_CLIENT_KEY', title: 'Client key', kind: 'text', isRequired: true },
  { variable: 'TIKTOK_CLIENT_SECRET', title: 'Client secret', kind: 'secret', isRequired: true },
  {
    variable: 'TIKTOK_AUDIT_FORM',
    title: 'The form preselects nothing, as the audit demands',
    kind: 'switch',
    isRequired: false,
  },
  { variable: 'TIKTOK_APP_AUDITED', title: 'TikTok has audited the app', kind: 'switch', isRequired: false },
]

/** "OAuth Error Handling" (v2). */
export const KEY_ANSWERS: KeyAnswers = { known: 'invalid_grant', unknown: 'invalid_client' }

export function checkTikTokSetup(config: TikTokConfig, facts: SetupFacts): SetupFinding[] {
  if (config.mode === 'practice') return []
  return [
    ...checkRedirect('TikTok', facts, CONSOLE),
    ...checkKeyForm('TIKTOK_CLIENT_KEY', config.clientKey, {
      pattern: /^[a-z0-9]{10,40}$/,
      words: "a client key of TikTok's, which is small letters and digits",
      link: CONSOLE,
    }),
    ...checkKeyForm('TIKTOK_CLIENT_SECRET', config.clientSecret, {
      pattern: /^[A-Za-z0-9]{20,80}$/,
      words: "a client secret of TikTok's, which is letters and digits",
      link: CONSOLE,
    }),
    // Login Kit for Web (2026-09-11): the keys of a sandbox start with sb.
    ...(config.clientKey.startsWith('sb')
      ? [
          {
            severity: 'warning',
            sentence: 'TIKTOK_CLIENT_KEY belongs to a sandbox: only its target users can be linked.',
            remedy: "Use the keys of the app's production version once TikTok has approved it.",
            link: CONSOLE,
          } as const,
        ]
      : []),
    ...checkAudit(config, facts),
  ]
}

function checkAudit({ appAudited }: TikTokConfig, { accountsToday }: SetupFacts): SetupFinding[] {
  if (appAudited) return []
  const isFull = accountsToday >= UNAUDITED_USERS
  return [
    {
      severity: isFull ? 'warning' : 'note',
      sentence: `TikTok has not audited your app: posts stay private, on private accounts only, for at most ${UNAUDITED_USERS} accounts in 24 hours (now ${accountsToday}).`,
      remedy: isFull
        ? 'Posts to further accounts wait until the 24 hours are over. Apply for the audit, then set TIKTOK_APP_AUDITED=true.'
        : 'Apply for the audit, then set TIKTOK_APP_AUDITED=true.',
      link: AUDIT,
    },
  ]
}

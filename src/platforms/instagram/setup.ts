import {
  type AppSetting,
  checkKeyForm,
  checkRedirect,
  type KeyAnswers,
  type SetupFacts,
  type SetupFinding,
} from '../kit/setup.ts'
import type { InstagramConfig } from './api/config.ts'

const CONSOLE = 'https://developers.facebook.com/apps/'

/** Meta's fetcher of videos; its robots.txt rules are those of `facebookexternalhit`. */
export const FETCHER_USER_AGENT = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'

export const SETTINGS: readonly AppSetting[] = [
  { variable: 'INSTAGRAM_APP_ID', title: 'Instagram app ID', kind: 'text', isRequired: true },
  { variable: 'INSTAGRAM_APP_SECRET', title: 'Instagram app secret', kind: 'secret', isRequired: true },
  {
    variable: 'INSTAGRAM_META_APP_SECRET',
    title: 'Meta app secret, where its calls are refused without it',
    kind: 'secret',
    isRequired: false,
  },
]

/** As `link-rules.ts` reads Meta's messages. */
export const KEY_ANSWERS: KeyAnswers = { known: 'code_used', unknown: 'invalid_platform_app' }

export function checkInstagramSetup(config: InstagramConfig, facts: SetupFacts): SetupFinding[] {
  if (config.mode === 'practice') return []
  const secret = {
    pattern: /^[0-9a-f]{32}$/,
    words: "an app secret of Meta's, which is 32 digits and letters from a to f",
    link: CONSOLE,
  }
  return [
    ...checkRedirect('Instagram', facts, CONSOLE),
    ...checkKeyForm('INSTAGRAM_APP_SECRET', config.appSecret, secret),
    ...(config.metaAppSecret === null
      ? []
      : checkKeyForm('INSTAGRAM_META_APP_SECRET', config.metaAppSecret, secret)),
    {
      severity: 'note',
      sentence:
        'Meta does not tell Reelay if your app is published. While it is in development, only accounts with a role in the app can be linked.',
      remedy: 'Add accounts as Instagram testers of the app, or have it reviewed and publish it.',
      link: CONSOLE,
    },
  ]
}

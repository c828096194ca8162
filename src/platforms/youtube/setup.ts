import {
  type AppSetting,
  checkKeyForm,
  checkRedirect,
  type KeyAnswers,
  type SetupFacts,
  type SetupFinding,
} from '../kit/setup.ts'
import type { YouTubeConfig } from './api/config.ts'

const CREDENTIALS = 'https://console.cloud.google.com/apis/credentials'
const AUDIENCE = 'https://console.cloud.google.com/auth/audience'
/** Unverified apps (Google Cloud help): new users over the whole life of the project. */
const UNVERIFIED_USERS = 100
const NEARLY_FULL = 80

export const SETTINGS: readonly AppSetting[] = [
  { variable: 'YOUTUBE_CLIENT_ID', title: 'Client ID', kind: 'text', isRequired: true },
  { variable: 'YOUTUBE_CLIENT_SECRET', title: 'Client secret', kind: 'secret', isRequired: true },
  {
    variable: 'YOUTUBE_APP_PUBLISHED',
    title: 'The consent screen is in production, not in Testing',
    kind: 'switch',
    isRequired: false,
  },
  {
    variable: 'YOUTUBE_APP_VERIFIED',
    title: 'Google has verified the app',
    kind: 'switch',
    isRequired: false,
  },
]

/** OAuth 2.0 for Web Server Applications, errors of the token endpoint. */
export const KEY_ANSWERS: KeyAnswers = { known: 'invalid_grant', unknown: 'invalid_client' }

export function checkYouTubeSetup(config: YouTubeConfig, facts: SetupFacts): SetupFinding[] {
  if (config.mode === 'practice') return []
  // Google also takes http on this machine.
  const isLocal = new URL(facts.redirectUri).hostname === 'localhost'
  return [
    ...(isLocal ? [] : checkRedirect('Google', facts, CREDENTIALS)),
    ...checkKeyForm('YOUTUBE_CLIENT_ID', config.clientId, {
      pattern: /^\d+-[a-z0-9]+\.apps\.googleusercontent\.com$/,
      words: "a client ID of Google's, which ends in .apps.googleusercontent.com",
      link: CREDENTIALS,
    }),
    ...checkKeyForm('YOUTUBE_CLIENT_SECRET', config.clientSecret, {
      pattern: /^[\w-]{20,80}$/,
      words: "a client secret of Google's, which is letters, digits, hyphens and underscores",
      link: CREDENTIALS,
    }),
    ...checkConsent(config, facts),
  ]
}

function checkConsent(
  { appPublished, appVerified }: YouTubeConfig,
  { peopleLinked }: SetupFacts,
): SetupFinding[] {
  if (appVerified) return []
  if (!appPublished) {
    return [
      {
        severity: 'warning',
        sentence:
          'While the consent screen of your app is in Testing, only its test users can link channels, and Google ends every link after seven days. Google does not tell Reelay if it is.',
        remedy: 'Publish the app on the page Audience, then set YOUTUBE_APP_PUBLISHED=true.',
        link: AUDIENCE,
      },
    ]
  }
  return [
    {
      severity: peopleLinked >= NEARLY_FULL ? 'warning' : 'note',
      sentence: `Google has not verified your app: people see a warning before they consent, and ${UNVERIFIED_USERS} at most can ever link a channel (linked now: ${peopleLinked}).`,
      remedy: 'Have the app verified by Google, then set YOUTUBE_APP_VERIFIED=true.',
      link: AUDIENCE,
    },
  ]
}

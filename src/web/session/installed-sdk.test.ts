import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sdk } from '#web/testing/sdk-source.ts'

// Statements of the specification about the SDK. Checked in the installed version, so that an update that
// changes one is noticed.

describe('the identity SDK', () => {
  it.each([
    ['opens a popup 500 wide', /const DEFAULT_WIDTH = 500;/],
    ['opens a popup 600 high', /const DEFAULT_HEIGHT = 600;/],
    ['waits 8000 ms for the event of a closed popup', /}, 8000 \/\* _Timeout\.AUTH_EVENT \*\/\);/],
    [
      'polls every 2 to 10 seconds for a closed popup',
      /_POLL_WINDOW_CLOSE_TIMEOUT = new Delay\(2000, 10000\)/,
    ],
    [
      'polls local storage every 1000 ms',
      /_POLLING_INTERVAL_MS\$1 = 1000;[\s\S]*class BrowserLocalPersistence/,
    ],
    [
      'polls the indexed database every 800 ms',
      /_POLLING_INTERVAL_MS = 800;\s+const _TRANSACTION_RETRY_COUNT/,
    ],
    ['caches redirect events for 10 minutes', /EVENT_DUPLICATION_CACHE_DURATION_MS = 10 \* 60 \* 1000;/],
    ['does not sync a token older than 300 seconds', /DEFAULT_ID_TOKEN_MAX_AGE = 5 \* 60;/],
    [
      'syncs by POST with the token as bearer, and by DELETE without one',
      /method: idToken \? 'POST' : 'DELETE',\s+headers: idToken\s+\? {\s+'Authorization': `Bearer \$\{idToken\}`/,
    ],
    ['retries a database write 3 times', /_TRANSACTION_RETRY_COUNT = 3;/],
    ['uses a minimum password length of 6 without a policy', /MINIMUM_MIN_PASSWORD_LENGTH = 6;/],
  ])('the SDK %s', (_what, line) => expect(line.test(sdk)).toBe(true))
})

const sourceOf = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const importedBy = (source: string) => /import \{([^}]*)\} from '@firebase\/auth'/.exec(source)?.[1] ?? ''

describe('the web app', () => {
  const opened = sourceOf('identity.ts')
  const imported = importedBy(opened)

  it('opens the SDK without popups and redirects, and stores the user in the browser', () => {
    expect(imported).toMatch(/\binitializeAuth\b/)
    expect(imported).not.toMatch(/getAuth|Popup|Redirect/)
    expect(opened).toMatch(
      /persistence = \[indexedDBLocalPersistence, browserLocalPersistence, browserSessionPersistence\]/,
    )
  })

  it('signs in with email and password only', () => {
    const both = imported + importedBy(sourceOf('log-in.ts'))
    expect(both.match(/signInWith\w+/g)).toEqual(['signInWithEmailAndPassword'])
  })
})

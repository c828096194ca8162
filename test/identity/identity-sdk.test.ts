import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { AuthErrorCodes } from 'firebase/auth'
import { describe, expect, it } from 'vitest'

// Some statements of the specification describe the identity provider's SDK and not the product. They hold for the version
// that is pinned; here they are looked up in what is installed, so that a new version that changes one of them is noticed.

const installed = createRequire(createRequire(import.meta.url).resolve('firebase/auth')).resolve(
  '@firebase/auth',
)
const folder = path.join(installed.slice(0, installed.lastIndexOf('/dist/')), 'dist/esm')
/** What a browser is given of the SDK. */
const sdk = readdirSync(folder)
  .filter((file) => file.endsWith('.js'))
  .map((file) => readFileSync(path.join(folder, file), 'utf8'))
  .join('\n')

describe('the identity SDK', () => {
  it.each([
    ['opens a popup 500 wide', /const DEFAULT_WIDTH = 500;/],
    ['opens a popup 600 high', /const DEFAULT_HEIGHT = 600;/],
    ['waits 8000 ms for the word of a popup that was closed', /}, 8000 \/\* _Timeout\.AUTH_EVENT \*\/\);/],
    [
      'looks every 2 to 10 seconds, by the kind of device, whether a popup was closed',
      /_POLL_WINDOW_CLOSE_TIMEOUT = new Delay\(2000, 10000\)/,
    ],
    [
      'looks at local storage every 1000 ms',
      /_POLLING_INTERVAL_MS\$1 = 1000;[\s\S]*class BrowserLocalPersistence/,
    ],
    [
      'looks at the indexed database every 800 ms',
      /_POLLING_INTERVAL_MS = 800;\s+const _TRANSACTION_RETRY_COUNT/,
    ],
    ['keeps events of redirects for 10 minutes', /EVENT_DUPLICATION_CACHE_DURATION_MS = 10 \* 60 \* 1000;/],
    ['does not sync a token older than 300 seconds', /DEFAULT_ID_TOKEN_MAX_AGE = 5 \* 60;/],
    [
      'syncs by POST with the token as bearer, and by DELETE without one',
      /method: idToken \? 'POST' : 'DELETE',\s+headers: idToken\s+\? {\s+'Authorization': `Bearer \$\{idToken\}`/,
    ],
    ['tries a write to the database 3 times again', /_TRANSACTION_RETRY_COUNT = 3;/],
    [
      'takes 6 for the least length of a password where the policy says none',
      /MINIMUM_MIN_PASSWORD_LENGTH = 6;/,
    ],
  ])('the SDK %s', (_what, line) => expect(line.test(sdk)).toBe(true))

  it.each([
    'internal-error',
    'argument-error',
    'invalid-user-token',
    'user-mismatch',
    'tenant-id-mismatch',
    'login-blocked',
    'unauthorized-domain',
    'popup-blocked',
    'popup-closed-by-user',
    'cancelled-popup-request',
    'web-storage-unsupported',
    'network-request-failed',
    'invalid-api-key',
    'auth-domain-config-required',
    'invalid-auth-event',
    'multi-factor-auth-required',
    'missing-recaptcha-token',
    'password-does-not-meet-requirements',
    'already-initialized',
    'invalid-continue-uri',
  ])('has the error code %s', (code) => {
    const exported: readonly string[] = Object.values(AuthErrorCodes)
    expect(exported.includes(`auth/${code}`) || sdk.includes(`"${code}" /*`)).toBe(true)
  })
})

describe('the web app', () => {
  const opened = readFileSync(new URL('../../src/web/session/identity.ts', import.meta.url), 'utf8')
  const imported = /import \{([^}]*)\} from 'firebase\/auth'/.exec(opened)?.[1] ?? ''

  it('opens the SDK without popups and redirects, and keeps the user in the browser', () => {
    expect(imported).toMatch(/\binitializeAuth\b/)
    expect(imported).not.toMatch(/getAuth|Popup|Redirect/)
    expect(opened).toMatch(/persistence: \[indexedDBLocalPersistence, browserLocalPersistence\]/)
  })

  it('signs in with an address and a password alone', () => {
    expect(imported).toMatch(/\bsignInWithEmailAndPassword\b/)
    expect(imported.match(/signInWith\w+/g)).toEqual(['signInWithEmailAndPassword'])
  })
})

import type { Identity } from '#identity/identity.ts'
import type { Config } from './config.ts'

/** Hosts of Google's captcha: https://developers.google.com/recaptcha/docs/faq#im-using-content-security-policy-csp */
const CAPTCHA_SCRIPTS = 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/'
const CAPTCHA_FRAMES = 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/'
/** The hosts that the Firebase SDK and its captcha call. */
const PROVIDER_CALLS =
  'https://identitytoolkit.googleapis.com https://securetoken.googleapis.com https://www.google.com/recaptcha/'

/** No page of ours uses these, so that none can be made to. Copying, playing and full screen are used. */
const UNUSED_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

type HeaderDeps = {
  readonly config: Pick<Config, 'publicUrl' | 'practice'>
  readonly identity: Pick<Identity, 'publicSettings'>
}

/** The headers of every response, made once: they depend on the configuration only. */
export function securityHeaders(deps: HeaderDeps): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentPolicy(deps),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'cross-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': UNUSED_FEATURES.map((name) => `${name}=()`).join(', '),
    'referrer-policy': 'strict-origin-when-cross-origin',
    // Takes effect over https only, which a reverse proxy adds.
    ...(deps.config.publicUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  }
}

/**
 * Tokens live in the browser's storage, so no script but ours may run there. A hosted identity provider may ask for a
 * captcha at log-in, whose script the SDK fetches by itself.
 */
function contentPolicy({ config, identity }: HeaderDeps): string {
  const hosted = identity.publicSettings.mode === 'firebase'
  return [
    "default-src 'self'",
    // WebAssembly: the AAC encoder, for browsers without one. A script must run already to compile any.
    `script-src 'self' 'wasm-unsafe-eval'${hosted ? ` ${CAPTCHA_SCRIPTS}` : ''}`,
    // The encoder starts its worker from a blob, which only a script that runs here can make.
    "worker-src 'self' blob:",
    ...(hosted ? [`frame-src ${CAPTCHA_FRAMES}`] : []),
    // Mantine sets style attributes; they run nothing.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob: https:${config.practice.on ? ' http:' : ''}`,
    "media-src 'self' blob:",
    "font-src 'self' data:",
    `connect-src 'self'${hosted ? ` ${PROVIDER_CALLS}` : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join(';')
}

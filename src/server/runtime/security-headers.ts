import type { Identity } from '#identity/identity.ts'
import type { Config } from './config.ts'

/** Hosts of Google's captcha: https://developers.google.com/recaptcha/docs/faq#im-using-content-security-policy-csp */
const CAPTCHA_SCRIPTS = 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/'
const CAPTCHA_FRAMES = 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/'
/** The hosts that the Firebase SDK and its captcha call. */
const PROVIDER_CALLS =
  'https://identitytoolkit.googleapis.com https://securetoken.googleapis.com https://www.google.com/recaptcha/'

/** Our pages use none of these features, so none can be misused. Copying, playing and full screen are used. */
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

/** Computed once: the headers depend only on the configuration. */
export function securityHeaders(deps: HeaderDeps): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentPolicy(deps),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'cross-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': UNUSED_FEATURES.map((name) => `${name}=()`).join(', '),
    'referrer-policy': 'strict-origin-when-cross-origin',
    // Browsers obey it only over https, which a reverse proxy adds.
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
 * Tokens are in the browser's storage, so only our scripts may run. A hosted identity provider may show a captcha at
 * log-in, whose script the SDK loads.
 */
function contentPolicy({ config, identity }: HeaderDeps): string {
  const hosted = identity.publicSettings.mode === 'firebase'
  return [
    "default-src 'self'",
    // WebAssembly: the AAC encoder for browsers without one. Only a running script can compile any.
    `script-src 'self' 'wasm-unsafe-eval'${hosted ? ` ${CAPTCHA_SCRIPTS}` : ''}`,
    // The encoder starts its worker from a blob, which only a running script can make.
    "worker-src 'self' blob:",
    ...(hosted ? [`frame-src ${CAPTCHA_FRAMES}`] : []),
    // Mantine sets style attributes, which execute nothing.
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

/** A thing that an operator should know about how a platform is set up here. It never quotes a secret. */
export type SetupFinding = {
  readonly severity: 'note' | 'warning' | 'error'
  readonly sentence: string
  readonly remedy: string
  readonly link: string | null
}

export type SetupFacts = {
  readonly redirectUri: string
  /** Accounts of the platform that were posted to within the last 24 hours. */
  readonly accountsToday: number
  /** People, by their logins at the platform, of whom accounts are linked now. */
  readonly peopleLinked: number
}

/** A variable that sets up the app of a platform. Operators can also enter it on the Server screen. */
export type AppSetting = {
  readonly variable: string
  readonly title: string
  readonly kind: 'text' | 'secret' | 'switch'
  readonly isRequired: boolean
}

/** The codes of failures with which a platform answers a made-up authorization code. */
export type KeyAnswers = {
  /** It knows the app. */
  readonly known: string
  /** It does not know the app, or the secret is another one's. */
  readonly unknown: string
}

/** Platforms register redirect addresses of public servers only. */
export function checkRedirect(
  name: string,
  { redirectUri }: Pick<SetupFacts, 'redirectUri'>,
  link: string,
): SetupFinding[] {
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol === 'https:' && hostname !== 'localhost') return []
  return [
    {
      severity: 'error',
      sentence: `${name} takes no redirect address like ${redirectUri}, so no account can be linked.`,
      remedy: 'Set PUBLIC_URL to the https address of this server, then register the new redirect address.',
      link,
    },
  ]
}

/** A key that was cut or copied with something else. */
export function checkKeyForm(
  variable: string,
  value: string,
  form: { readonly pattern: RegExp; readonly words: string; readonly link: string },
): SetupFinding[] {
  if (form.pattern.test(value)) return []
  return [
    {
      severity: 'warning',
      sentence: `${variable} does not look like ${form.words}.`,
      remedy: 'Copy it again from the app: it may be cut, or belong to another field.',
      link: form.link,
    },
  ]
}

import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { LABELS } from '#contract/texts.ts'
import { identityMessage } from './identity-errors.ts'
import { PATHS } from '#web/lib/paths.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { EmailSignIn } from './email-sign-in.tsx'
import { CheckedLink, InvalidLink, LinkPage, type Mode } from './link-page.tsx'
import { ApplyLink } from './apply-link.tsx'
import { ResetPassword } from './reset-password.tsx'

type LinkTexts = { readonly title: string; readonly newLinkHelp: ReactNode }

const InSettings = () => (
  <>
    Request a new one in <Link to={PATHS.settings}>Settings</Link>.
  </>
)

/** The title of each kind of link, and how to get a new one. */
const LINK_TEXTS: Record<Mode, LinkTexts> = {
  resetPassword: {
    title: 'New password',
    newLinkHelp: <Link to={PATHS.forgotPassword}>Request a new link</Link>,
  },
  verifyEmail: { title: 'Confirm your email', newLinkHelp: <InSettings /> },
  verifyAndChangeEmail: { title: 'New email', newLinkHelp: <InSettings /> },
  recoverEmail: {
    title: 'Restore your email',
    newLinkHelp: "If you can't log in any more, contact the person who runs this server.",
  },
  signIn: {
    title: LABELS.logIn,
    newLinkHelp: 'Request a new link, or log in with your password.',
  },
}

const isMode = (mode: string): mode is Mode => Object.hasOwn(LINK_TEXTS, mode)

/** The page of our email links. Opening it does not consume the code: mail scanners open links and run their scripts. */
export function ActionScreen() {
  const [search] = useSearchParams()
  const code = search.get('oobCode') ?? ''
  const mode = search.get('mode') ?? ''
  if (!isMode(mode))
    return (
      <LinkPage title="Unknown link">
        <InlineAlert tone="note" live={false}>
          Reelay doesn't know this kind of link. Try the link in your latest email.
        </InlineAlert>
      </LinkPage>
    )
  const texts = LINK_TEXTS[mode]
  if (code === '') return <InvalidLink {...texts}>{identityMessage('invalid-action-code')}</InvalidLink>
  // Remounts for another link in the same tab.
  return (
    <CheckedLink key={`${mode} ${code}`} mode={mode} code={code} {...texts}>
      {(link) => {
        switch (mode) {
          case 'resetPassword':
            return <ResetPassword code={code} link={link} {...texts} />
          case 'verifyEmail':
          case 'verifyAndChangeEmail':
          case 'recoverEmail':
            return <ApplyLink mode={mode} code={code} link={link} {...texts} />
          case 'signIn':
            return <EmailSignIn link={link} {...texts} />
        }
      }}
    </CheckedLink>
  )
}

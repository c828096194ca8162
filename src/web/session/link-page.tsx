import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { identityMessage } from './identity-errors.ts'
import { PATHS } from '#web/lib/paths.ts'
import { queryClient } from '#web/api/queries.ts'
import { useSession } from './session.ts'
import { FrontPage } from '#web/ui/front-page.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import type * as Links from './action-links.ts'

export type Mode = Links.Mode

/** Loads the identity provider's code after the page. */
const loadLinks = (): Promise<typeof Links> =>
  import('./action-links.ts').catch((cause: unknown) => {
    throw new Error(identityMessage('network-request-failed'), { cause })
  })

type LinkPageProps = { title: string; login?: string; children: ReactNode }

/** The layout of a page opened by an email link, with a link to the overview or the login. */
export function LinkPage({ title, login = LABELS.logIn, children }: LinkPageProps) {
  const session = useSession()
  return (
    <FrontPage
      title={title}
      footer={
        session.status === 'in' ? (
          <Link to={PATHS.overview}>Go to the overview</Link>
        ) : (
          <Link to={PATHS.login}>{login}</Link>
        )
      }
    >
      <Stack>{children}</Stack>
    </FrontPage>
  )
}

type CheckedProps = {
  mode: Mode
  code: string
  title: string
  newLinkHelp: ReactNode
  children: (link: Links.UsableLink) => ReactNode
}

/** Checks the link first, which does not consume its code. */
export function CheckedLink({ mode, code, title, newLinkHelp, children }: CheckedProps) {
  const link = useQuery(
    {
      queryKey: ['link', mode, code],
      queryFn: async () => (await loadLinks()).checkLink(mode, code),
      staleTime: Infinity,
      retry: false,
      meta: { keptAtLogOut: true },
    },
    queryClient,
  )
  switch (link.status) {
    case 'pending':
      return (
        <LinkPage title={title}>
          <p>Checking the link…</p>
        </LinkPage>
      )
    case 'error':
      return (
        <LinkPage title={title}>
          <InlineAlert
            actions={
              <Button
                size="xs"
                variant="default"
                loading={link.isFetching}
                onClick={() => void link.refetch()}
              >
                Try again
              </Button>
            }
          >
            {messageOf(link.error, TEXTS.unknownError)}
          </InlineAlert>
        </LinkPage>
      )
    case 'success':
      return link.data.kind === 'usable' ? (
        children(link.data)
      ) : (
        <InvalidLink
          title={title}
          newLinkHelp={newLinkHelp}
          confirmed={mode === 'verifyEmail' ? link.data.confirmed : null}
        >
          {link.data.message}
        </InvalidLink>
      )
  }
}

export function useOutcome() {
  const [outcome, setOutcome] = useState<Links.Outcome | null>(null)
  const run = async (act: (loaded: typeof Links) => Promise<Links.Outcome>): Promise<Links.Outcome> => {
    const next = await loadLinks().then(act, (error: unknown): Links.Outcome => ({
      kind: 'failed',
      message: messageOf(error, ''),
    }))
    setOutcome(next)
    return next
  }
  return { outcome, run, clear: () => setOutcome(null) }
}

type UsableLinkProps = LinkPageProps & { newLinkHelp: ReactNode; outcome: Links.Outcome | null }

/** The page of a link that was usable when it was opened, until using it shows that it no longer is. */
export function UsableLinkPage({ newLinkHelp, outcome, ...page }: UsableLinkProps) {
  return outcome?.kind === 'dead' ? (
    <InvalidLink title={page.title} newLinkHelp={newLinkHelp}>
      {outcome.message}
    </InvalidLink>
  ) : (
    <LinkPage {...page} />
  )
}

type DeadLinkProps = { title: string; newLinkHelp: ReactNode; confirmed?: string | null; children: string }

export function InvalidLink({ title, newLinkHelp, confirmed = null, children }: DeadLinkProps) {
  return (
    <LinkPage title={title}>
      {confirmed === null ? (
        <>
          <InlineAlert>{children}</InlineAlert>
          <p>{newLinkHelp}</p>
        </>
      ) : (
        <InlineAlert tone="note">You're logged in as {confirmed}, and this email is confirmed.</InlineAlert>
      )}
    </LinkPage>
  )
}

export function OtherUserNote({ link: { email, replacedEmail, here }, children }: OtherUserNoteProps) {
  if (here === null || here === email || here === replacedEmail) return null
  return (
    <Text c="dimmed" size="xs">
      You're logged in here as {here}. {children}
    </Text>
  )
}
type OtherUserNoteProps = { link: Links.UsableLink; children: string }

/** The focused result that replaces the form, with a link to the continue URL. */
export function Done({ children }: { children: ReactNode }) {
  const text = useRef<HTMLDivElement>(null)
  useEffect(() => text.current?.focus(), [])
  return (
    <>
      <div ref={text} tabIndex={-1}>
        <InlineAlert tone="note" live={false}>
          {children}
        </InlineAlert>
      </div>
      <ContinueLink />
    </>
  )
}

function ContinueLink() {
  const [search] = useSearchParams()
  const wanted = search.get('continueUrl')
  const { data } = useQuery(
    {
      queryKey: ['way-back', wanted],
      queryFn: async () => (await (await loadLinks()).findContinueUrl(wanted))?.href ?? null,
      staleTime: Infinity,
      retry: false,
      meta: { keptAtLogOut: true },
    },
    queryClient,
  )
  if (data === undefined || data === null) return null
  const url = new URL(data)
  return (
    <p>
      <a href={url.href}>
        {url.origin === location.origin ? 'Go back to where you were' : `Go back to ${url.host}`}
      </a>
    </p>
  )
}

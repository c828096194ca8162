import {
  IconCalendar,
  IconChartLine,
  IconListCheck,
  IconHelpCircle,
  IconLayoutDashboard,
  IconLogout,
  IconMovie,
  IconPencil,
  IconPlus,
  IconSettings,
  IconTags,
  IconUpload,
  IconUsers,
  type Icon,
} from '@tabler/icons-react'
import { Button, Stack, VisuallyHidden } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import { Link, NavLink } from 'react-router'
import type { Api } from '#contract/api/api.ts'
import type { Reply } from '#contract/http/endpoint.ts'
import { POSTS_COUNTED_MAX } from '#contract/limits.ts'
import { greeting, LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { UNREAD_NOTIFICATIONS, userQuery } from '#web/api/queries.ts'
import { storedUser } from '#web/api/stored-user.ts'
import { logOut, useSession } from '#web/session/session.ts'
import { ICON } from '#web/ui/icons.tsx'
import { Logo } from '#web/ui/logo.tsx'
import { lazyPart } from '#web/ui/lazy-part.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useActiveUploads } from '#web/videos/uploads.ts'
import classes from './dashboard.module.css'

const loadLogOutQuestion = () => import('./log-out-question.tsx')
const LogOutQuestion = lazyPart(loadLogOutQuestion)
const ServerLink = lazyPart(() => import('#web/operator/server-link.tsx'))

type Place = { to: string; label: string; Icon: Icon }

/** In the order of a day. */
const DAILY: readonly Place[] = [
  { to: PATHS.overview, label: LABELS.overview, Icon: IconLayoutDashboard },
  { to: PATHS.calendar, label: LABELS.calendar, Icon: IconCalendar },
  { to: PATHS.queue, label: LABELS.queue, Icon: IconListCheck },
  { to: PATHS.drafts, label: LABELS.drafts, Icon: IconPencil },
  { to: PATHS.library, label: LABELS.library, Icon: IconMovie },
  { to: PATHS.results, label: LABELS.results, Icon: IconChartLine },
  { to: PATHS.accounts, label: LABELS.accounts, Icon: IconUsers },
  { to: PATHS.brands, label: LABELS.brands, Icon: IconTags },
]
const OTHERS: readonly Place[] = [
  { to: PATHS.upload, label: LABELS.upload, Icon: IconUpload },
  { to: PATHS.settings, label: LABELS.settings, Icon: IconSettings },
  { to: PATHS.help, label: LABELS.help, Icon: IconHelpCircle },
]

/** `onGo`: called when a link is clicked, so that a drawer can close. `bell` goes beside the logo. */
export function Sidebar({ onGo, bell }: { onGo?: () => void; bell?: ReactNode }) {
  const session = useSession()
  const [asking, setAsking] = useState(false)
  const [failed, setFailed] = useState<string | null>(null)
  const leave = () => {
    setFailed(null)
    void logOut().then(setFailed)
  }
  const stay = useCallback(() => setAsking(false), [])
  const isBusy = useActiveUploads().length > 0
  useEffect(() => {
    // Preload the question, so that it also works offline.
    if (isBusy) loadLogOutQuestion().catch(() => undefined)
  }, [isBusy])
  const button = useRef<HTMLButtonElement>(null)
  const user = useQuery({ ...userQuery, placeholderData: storedUser, enabled: session.status === 'in' })
  return (
    <nav className={classes.menu} aria-label="Dashboard">
      <div className={classes.brand}>
        <Logo />
        {bell}
        <p className={classes.greeting}>{user.data ? greeting(user.data.nickname) : '\u00a0'}</p>
      </div>
      <Button
        flex="none"
        mb="0.875rem"
        component={Link}
        to={PATHS.compose}
        leftSection={<IconPlus {...ICON} />}
        {...(onGo && { onClick: onGo })}
      >
        New post
      </Button>
      {[DAILY, OTHERS].map((places) => (
        <Stack key={places[0]?.to} component="ul" gap="0.125rem" className={classes.links ?? ''}>
          {places.map(({ to, label, Icon }) => (
            <li key={to}>
              <NavLink to={to} className={classes.link ?? ''} {...(onGo && { onClick: onGo })}>
                <Icon {...ICON} size={20} />
                {label}
                {to === PATHS.queue && <Attention of="posts" />}
                {to === PATHS.accounts && <Attention of="accounts" />}
              </NavLink>
            </li>
          ))}
          {places === OTHERS && user.data?.operator === true && (
            <Suspense>
              <ServerLink classes={classes} {...(onGo && { onGo })} />
            </Suspense>
          )}
        </Stack>
      ))}
      <div className={classes.aboveLogOut}>
        {failed !== null && <InlineAlert>{failed}</InlineAlert>}
        <Suspense>{asking && <LogOutQuestion asker={button} onStay={stay} onLeave={leave} />}</Suspense>
      </div>
      <button
        ref={button}
        type="button"
        className={classes.link}
        onClick={() => (isBusy ? setAsking(true) : leave())}
      >
        <IconLogout {...ICON} size={20} />
        {LABELS.logOut}
      </button>
    </nav>
  )
}

/** Reads what the bell has fetched. */
function Attention({ of }: { of: 'posts' | 'accounts' }) {
  const { data } = useQuery<Reply<Api['getUnread']>>({ ...UNREAD_NOTIFICATIONS, queryFn: skipToken })
  const count = (of === 'posts' ? data?.needs_attention : data?.accounts_to_link) ?? 0
  if (count === 0) return null
  const counted = of === 'posts' && count >= POSTS_COUNTED_MAX ? `${count}+` : count
  return (
    <>
      {' '}
      <span className={classes.attention}>
        {counted} <VisuallyHidden>{WORDS[of][count === 1 ? 'one' : 'several']}</VisuallyHidden>
      </span>
    </>
  )
}

const WORDS = {
  posts: { one: 'needs attention', several: 'need attention' },
  accounts: { one: 'must be linked again', several: 'must be linked again' },
} as const

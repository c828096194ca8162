import { VisuallyHidden } from '@mantine/core'
import { IconServer } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { NavLink } from 'react-router'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { useSession } from '#web/session/session.ts'
import { ICON } from '#web/ui/icons.tsx'
import { serverChecksQuery } from './server-checks-query.ts'

type Props = {
  /** Those of the menu. */
  classes: { readonly link?: string; readonly attention?: string }
  onGo?: () => void
}

/** The entry of the menu for operators, with a count of what needs a hand. */
export default function ServerLink({ classes, onGo }: Props) {
  // The profile is stored, so that this shows before the session is open.
  const enabled = useSession().status === 'in'
  const { data } = useQuery({ ...serverChecksQuery, enabled, staleTime: 300_000, refetchInterval: 600_000 })
  const count =
    data?.items.filter(({ severity }) => severity === 'error' || severity === 'warning').length ?? 0
  return (
    <li>
      <NavLink to={PATHS.server} className={classes.link ?? ''} {...(onGo && { onClick: onGo })}>
        <IconServer {...ICON} size={20} />
        {LABELS.server}
        {count > 0 && (
          <>
            {' '}
            <span className={classes.attention}>
              {count} <VisuallyHidden>{count === 1 ? 'needs a hand' : 'need a hand'}</VisuallyHidden>
            </span>
          </>
        )}
      </NavLink>
    </li>
  )
}

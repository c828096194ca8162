import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { CenteredMessage } from '#web/ui/centered-message.tsx'
import { FrontPage } from '#web/ui/front-page.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'

const TITLE = 'Page not found'
const TEXT = "There's no page at this address. Check the link for typos, or go back and try again."

export function NotFoundScreen() {
  return (
    <FrontPage title={TITLE}>
      <CenteredMessage
        inCard
        text={TEXT}
        action={
          <Button component={Link} to={PATHS.login}>
            Go to the start page
          </Button>
        }
      />
    </FrontPage>
  )
}

export function NotFoundInDashboard() {
  return (
    <>
      <PageHeader title={TITLE} />
      <CenteredMessage
        text={TEXT}
        action={
          <Button component={Link} to={PATHS.overview}>
            Go to the overview
          </Button>
        }
      />
    </>
  )
}

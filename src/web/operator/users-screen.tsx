import { Button, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PageHeader } from '#web/ui/page-header.tsx'
import { SignUpSection } from './sign-up-section.tsx'
import { UsersSection } from './users-section.tsx'

/** Whom an operator has on their server, and who may come. */
export function UsersScreen() {
  return (
    <>
      <PageHeader
        title={LABELS.users}
        aside={
          <Button variant="default" component={Link} to={PATHS.server}>
            {LABELS.server}
          </Button>
        }
      />
      <Stack gap="lg">
        <SignUpSection />
        <UsersSection />
      </Stack>
    </>
  )
}

import { Button, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '#web/api/queries.ts'
import { CurrentPasswordField, EmailField, HiddenUsername } from '#web/ui/front-fields.tsx'
import { ChangeForm } from './change-form.tsx'
import { deleteOwnUser, loginQuery, type LoginData } from './login-changes.ts'
import { Row, Section } from './settings-section.tsx'
import classes from './settings.module.css'
import { useOpener } from './use-opener.ts'

/** Hidden if this server does not let users delete themselves. */
export function DeleteSection() {
  const { data: settings } = useQuery(settingsQuery)
  const { data: login } = useQuery(loginQuery)
  const { opener, opened, toggle } = useOpener()
  if (settings?.account.delete !== true || !login) return null
  return (
    <Section title="Delete account" about="Removes everything you have on this server." rows>
      <Row
        title="Delete my account"
        actions={
          <Button
            ref={opener}
            variant="default"
            color="failed"
            aria-label="Delete my account"
            aria-expanded={opened}
            onClick={toggle}
          >
            Delete…
          </Button>
        }
        below={opened && <DeleteForm login={login} onCancel={toggle} />}
      >
        <Text c="dimmed" size="xs">
          You can't undo this.
        </Text>
      </Row>
    </Section>
  )
}

function DeleteForm({ login: { email, hasPassword }, onCancel }: { login: LoginData; onCancel: () => void }) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', current: '' },
    validate: {
      email: (typed) =>
        hasPassword || typed.trim().toLowerCase() === email ? null : `Type ${email} to confirm.`,
      current: (current) => (hasPassword && current === '' ? 'Enter your password.' : null),
    },
  })
  return (
    <ChangeForm
      form={form}
      label="Delete my account"
      change={({ current }) => deleteOwnUser(hasPassword ? current : null)}
      // The session has ended; the login page confirms it.
      onDone={() => undefined}
      onCancel={onCancel}
      action="Delete my account"
      danger
      cancel="Keep"
    >
      <ul className={classes.list}>
        <li>Your brands, linked accounts, posts and videos will be deleted. Scheduled posts won't go out.</li>
        <li>Published posts stay on the platforms.</li>
        <li>A post that's publishing right now may still appear.</li>
      </ul>
      <HiddenUsername email={email} />
      {hasPassword ? (
        <CurrentPasswordField form={form} />
      ) : (
        <EmailField
          label="Your email"
          description="Type your email to confirm."
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
      )}
    </ChangeForm>
  )
}

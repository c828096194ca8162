import { FrontPage } from '#web/ui/front-page.tsx'

export function SignUpScreen() {
  return <FrontPage title="Sign up">{null}</FrontPage>
}

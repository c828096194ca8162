import { FrontPage } from '#web/ui/front-page.tsx'

export function ForgotPasswordScreen() {
  return <FrontPage title="Forgot Password">{null}</FrontPage>
}

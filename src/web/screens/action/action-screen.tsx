import { FrontPage } from '#web/ui/front-page.tsx'

export function ActionScreen() {
  return <FrontPage title="New password">{null}</FrontPage>
}

import { FrontPage } from '#web/ui/front-page.tsx'

export function LinkCallbackScreen() {
  return <FrontPage title="Linking">{null}</FrontPage>
}

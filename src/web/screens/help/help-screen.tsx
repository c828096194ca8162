import { PageHeader } from '#web/ui/page-header.tsx'

export function HelpScreen() {
  return <PageHeader title="Help" />
}

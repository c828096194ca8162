import { PageHeader } from '#web/ui/page-header.tsx'

export function SettingsScreen() {
  return <PageHeader title="Settings" />
}

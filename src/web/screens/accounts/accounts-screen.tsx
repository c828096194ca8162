import { PageHeader } from '#web/ui/page-header.tsx'

export function AccountsScreen() {
  return <PageHeader title="Accounts" />
}

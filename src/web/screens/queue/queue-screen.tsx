import { PageHeader } from '#web/ui/page-header.tsx'

export function QueueScreen() {
  return <PageHeader title="Queue" />
}

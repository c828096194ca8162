import { PageHeader } from '#web/ui/page-header.tsx'

export function UploadScreen() {
  return <PageHeader title="Upload" />
}

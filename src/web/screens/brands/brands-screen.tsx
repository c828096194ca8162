import { PageHeader } from '#web/ui/page-header.tsx'

export function BrandsScreen() {
  return <PageHeader title="Brands" />
}

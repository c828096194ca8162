import { useDocumentTitle } from '@mantine/hooks'

/** Names the page in the tab, in history and to screen readers. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · Reelay`)

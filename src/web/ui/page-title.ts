import { useDocumentTitle } from '@mantine/hooks'

/** Sets the document title, for the tab, the history and screen readers. */
export const usePageTitle = (title: string): void => useDocumentTitle(`${title} · Reelay`)

import { Text } from '@mantine/core'
import { counted } from '#web/lib/amounts.ts'
import {
  GOOGLE_PERMISSIONS_URL,
  GOOGLE_PRIVACY_URL,
  YOUTUBE_GUIDELINES_URL,
  YOUTUBE_TERMS_URL,
} from './labels.ts'

type Writes = { readonly thumbnail_picture_id: number | null; readonly firstComment: string }

/**
 * YouTube demands these links, and that each write is named before it happens (Developer Policies III.A and III.E.3, 2026-06-24;
 * Required Minimum Functionality, 2026-09-11).
 */
export function Terms({ values }: { readonly values: readonly Writes[] }) {
  const acts = [
    counted(values.length, 'upload'),
    values.some((one) => one.thumbnail_picture_id !== null) && 'the thumbnail',
    values.some((one) => one.firstComment.trim() !== '') && 'the first comment',
  ].filter((act) => act !== false)
  return (
    <Text c="dimmed" size="xs" mt="0.25rem">
      To YouTube: {new Intl.ListFormat('en-GB').format(acts)}. By posting, you agree to its{' '}
      <Outside href={YOUTUBE_TERMS_URL}>Terms of Service</Outside> and{' '}
      <Outside href={YOUTUBE_GUIDELINES_URL}>Community Guidelines</Outside>.{' '}
      <Outside href={GOOGLE_PRIVACY_URL}>Google's Privacy Policy</Outside> ·{' '}
      <Outside href={GOOGLE_PERMISSIONS_URL}>End Reelay's access</Outside>
    </Text>
  )
}

export const Outside = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
)

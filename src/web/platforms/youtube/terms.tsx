import { Text } from '@mantine/core'
import {
  GOOGLE_PERMISSIONS_URL,
  GOOGLE_PRIVACY_URL,
  YOUTUBE_GUIDELINES_URL,
  YOUTUBE_TERMS_URL,
} from './labels.ts'
import type { YouTubeChoices } from './composer-options.ts'

/**
 * YouTube demands these links, and that each write is named before it happens (Developer Policies III.A and III.E.3, 2026-06-24;
 * Required Minimum Functionality, 2026-09-11).
 */
export function Terms({ values }: { readonly values: readonly YouTubeChoices[] }) {
  const acts = [
    values.length === 1 ? 'uploads the video' : `uploads the video to ${values.length} channels`,
    values.some((one) => one.thumbnail_picture_id !== null) && 'sets its thumbnail',
    values.some((one) => one.firstComment.trim() !== '') && 'adds the first comment',
  ].filter((act) => act !== false)
  return (
    <Text c="dimmed" size="xs" mt="0.25rem">
      On YouTube, Reelay {new Intl.ListFormat('en-GB').format(acts)}. By posting, you agree to the{' '}
      <Outside href={YOUTUBE_TERMS_URL}>YouTube Terms of Service</Outside> and confirm that the video keeps
      the <Outside href={YOUTUBE_GUIDELINES_URL}>Community Guidelines</Outside>. See{' '}
      <Outside href={GOOGLE_PRIVACY_URL}>Google’s Privacy Policy</Outside>; you can end Reelay’s access in{' '}
      <Outside href={GOOGLE_PERMISSIONS_URL}>your Google account</Outside>.
    </Text>
  )
}

export const Outside = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {children}
  </a>
)

import { Text } from '@mantine/core'
import { TIKTOK_BRANDED_URL, TIKTOK_MUSIC_URL } from '#contract/platforms/tiktok.ts'
import { TEXTS } from '#contract/texts.ts'

/** TikTok requires this text beside the button that publishes; another one where a post is branded content. */
export function Declaration({ branded }: { branded: boolean }) {
  const [before, linked] = TEXTS.tiktokDeclaration.split(/(?=Music Usage)/)
  return (
    <Text c="dimmed" size="xs" mt="0.25rem">
      {before}
      {branded && (
        <>
          <a href={TIKTOK_BRANDED_URL} target="_blank" rel="noreferrer">
            Branded Content Policy
          </a>{' '}
          and{' '}
        </>
      )}
      <a href={TIKTOK_MUSIC_URL} target="_blank" rel="noreferrer">
        {linked}
      </a>
      .
    </Text>
  )
}

import { Button, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Brand } from '#contract/brands.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Settings } from '#contract/settings.ts'
import { continueWith, LABELS, TEXTS } from '#contract/texts.ts'
import { goToConsent } from '#web/platforms/kit/link-flow.ts'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { settingsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'

type Props = { brand: Brand; opened: boolean; onClose: () => void }

export function AddAccount({ brand, opened, onClose }: Props) {
  const settings = useQuery(settingsQuery)
  return (
    <Modal opened={opened} onClose={onClose} title={LABELS.addAccount}>
      <Stack>
        <Text c="dimmed" size="xs">
          You'll go to the platform, allow posting and come back. The account is added to{' '}
          <strong>{brand.title}</strong>.
        </Text>
        {settings.data?.platforms.map((platform) => (
          <Choice key={platform.id} platform={platform} brand={brand} />
        ))}
      </Stack>
    </Modal>
  )
}

function Choice({ platform, brand }: { platform: Settings['platforms'][number]; brand: Brand }) {
  const go = useMutation({
    mutationFn: () => goToConsent({ platform: platform.id, brandId: brand.brand_id }),
  })
  const { Mark } = PLATFORM_BRANDING[platform.id]
  const about = aboutMode(platform)
  const aboutId = `about-${platform.id}`
  return (
    <Stack gap="0.375rem">
      <Button
        variant="default"
        fullWidth
        // The first enabled one gets the focus when the dialog opens.
        data-autofocus={platform.mode !== 'off' || undefined}
        leftSection={<Mark />}
        disabled={platform.mode === 'off'}
        loading={go.isPending || go.isSuccess}
        onClick={() => go.mutate()}
        aria-describedby={about === null ? undefined : aboutId}
      >
        {continueWith(PLATFORM_NAMES[platform.id])}
      </Button>
      {about !== null && (
        <Text id={aboutId} c="dimmed" size="xs">
          {about}
        </Text>
      )}
      {go.error && <InlineAlert>{messageOf(go.error, TEXTS.unknownError)}</InlineAlert>}
    </Stack>
  )
}

function aboutMode({ mode, id }: Settings['platforms'][number]): string | null {
  const name = PLATFORM_NAMES[id]
  switch (mode) {
    case 'live':
      return null
    case 'practice':
      return `Opens Practice ${name} on this server. Nothing reaches the real ${name}.`
    case 'off':
      return `${name} is not set up on this server.`
  }
}

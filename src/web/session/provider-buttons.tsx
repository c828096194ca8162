import { Box, Button, Stack } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { leaveFor, type LoginAtProvider, type Providers, readProviders } from './provider-calls.ts'

export type ProviderButtonsProps = LoginAtProvider & {
  /** Leads to the provider at once, where the server wants that. */
  auto?: boolean
  /** `null`: tried again. */
  onRefused: (message: string | null) => void
}

/** "Continue with …", for each provider of the server. */
export default function ProviderButtons({
  auto = false,
  returnTo,
  invitation,
  onRefused,
}: ProviderButtonsProps) {
  const [providers, setProviders] = useState<Providers>({ list: [], auto: null })
  const [leaving, setLeaving] = useState<string | null>(null)
  useEffect(() => void readProviders().then(setProviders), [])

  async function leave(provider: Providers['list'][number]): Promise<void> {
    setLeaving(provider.id)
    onRefused(null)
    onRefused(await leaveFor(provider, { returnTo, invitation }))
    setLeaving(null)
  }
  const leaveByItself = useEffectEvent(async (provider: Providers['list'][number]) => leave(provider))
  const first = auto ? providers.list.find(({ id }) => id === providers.auto) : undefined
  useEffect(() => {
    if (first) void Promise.resolve(first).then(leaveByItself)
  }, [first])

  if (providers.list.length === 0) return null
  return (
    <Stack mt="md">
      <Box ta="center" c="dimmed">
        or
      </Box>
      {providers.list.map((provider) => (
        <Button
          key={provider.id}
          variant="default"
          loading={leaving === provider.id}
          disabled={leaving !== null && leaving !== provider.id}
          onClick={() => void leave(provider)}
        >
          Continue with {provider.name}
        </Button>
      ))}
    </Stack>
  )
}

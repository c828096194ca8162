import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a brand's planning, with its title. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="xs" align="flex-start" miw={0}>
    <Text component="h2" size="xs" fw={600}>
      {title}
    </Text>
    {children}
  </Stack>
)

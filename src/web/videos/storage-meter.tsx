import { Box, Group, Progress, Text } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import type { Library } from '#contract/videos.ts'
import { formatBytes, percent } from '#web/lib/amounts.ts'
import classes from './videos.module.css'

const ALMOST_FULL_PERCENT = 90

export function StorageMeter({ storage }: { storage: Library['storage'] }) {
  const { used_bytes: used, quota_bytes: quota } = storage
  if (quota === null) return <span>{formatBytes(used)} stored</span>
  const share = percent(used, quota)
  const level = used >= quota ? 'full' : share >= ALMOST_FULL_PERCENT ? 'almost' : 'free'
  return (
    <div className={classes.meter}>
      <Group
        component="p"
        gap="sm"
        mb="0.25rem"
        justify="space-between"
        wrap="nowrap"
        c="dimmed"
        style={{ whiteSpace: 'nowrap' }}
      >
        <Text span inherit {...(level !== 'free' && { c: COLORS[level], fw: 600 })}>
          {WORDS[level]}
        </Text>
        <span>
          <Box component="strong" c="bright">
            {formatBytes(used)}
          </Box>{' '}
          of {formatBytes(quota)}
        </span>
      </Group>
      <Progress
        value={share}
        size={4}
        radius="xl"
        color={COLORS[level]}
        aria-label={`Storage used: ${formatBytes(used)} of ${formatBytes(quota)}`}
      />
    </div>
  )
}

const WORDS = { free: 'Storage', almost: 'Storage almost full', full: 'Storage full' } as const
const COLORS = { free: 'var(--r-ink)', almost: 'var(--r-attention)', full: 'var(--r-failed)' } as const

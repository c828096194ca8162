import { Button, Group, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { BrandId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { brandsQuery } from '#web/api/queries.ts'
import { Card } from '#web/ui/card.tsx'
import { BrandSelect } from '#web/ui/brand-select.tsx'
import { DayField } from '#web/ui/day-and-time.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { serverNow } from '#web/lib/server-time.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { saveCsv } from '#web/lib/save-file.ts'
import { dayOf, zoneName } from '#web/lib/moments.ts'

export function ExportPart() {
  const zone = useOwnZone()
  const brands = useQuery(brandsQuery)
  const [brandId, setBrandId] = useState<BrandId>()
  const [from, setFrom] = useState<string | null>(null)
  const [to, setTo] = useState<string | null>(null)
  const download = useMutation({
    mutationFn: () => {
      const query = {
        ...(brandId !== undefined && { brandId }),
        ...(from !== null && { from }),
        ...(to !== null && { to }),
      }
      return call('exportPosts', { query })
    },
    onSuccess: (csv) => saveCsv(csv, `reelay-posts-${dayOf(new Date(serverNow()).toISOString(), zone)}.csv`),
  })
  return (
    <Card>
      <Stack gap="sm">
        <h2>Export posts</h2>
        <Text c="dimmed" size="xs">
          A CSV file for spreadsheets: one line for each account of a post, with its outcome and link. Times
          in {zoneName(zone)}.
        </Text>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (!download.isPending) download.mutate()
          }}
        >
          <Group gap="sm" align="end">
            <BrandSelect brands={brands.data ?? []} value={brandId} onChange={setBrandId} />
            <DayField
              label="From"
              placeholder="The first post"
              clearable
              value={from}
              {...(to !== null && { maxDate: to })}
              onChange={setFrom}
            />
            <DayField
              label="To"
              placeholder="The last post"
              clearable
              value={to}
              {...(from !== null && { minDate: from })}
              onChange={setTo}
            />
            <Button
              type="submit"
              variant="default"
              leftSection={<IconDownload {...ICON} />}
              loading={download.isPending}
            >
              Download CSV
            </Button>
          </Group>
        </form>
        {download.error && <InlineAlert>{messageOf(download.error, TEXTS.unknownError)}</InlineAlert>}
      </Stack>
    </Card>
  )
}

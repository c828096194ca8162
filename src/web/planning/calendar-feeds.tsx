import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCalendarShare } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Brand } from '#contract/brands.ts'
import type { BrandId } from '#contract/ids.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { queryClient, settingsQuery } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { QueryError } from '#web/ui/query-error.tsx'
import { RowsSkeleton } from '#web/ui/skeletons.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'

export function CalendarFeeds({ brands }: { brands: readonly Brand[] }) {
  const [opened, modal] = useDisclosure(false)
  const [chosen, setChosen] = useState('')
  const brand = brands.find(({ brand_id }) => String(brand_id) === chosen) ?? brands[0]
  if (!brand) return null
  return (
    <>
      <Button variant="default" leftSection={<IconCalendarShare {...ICON} />} onClick={modal.open}>
        Calendar feeds
      </Button>
      <Modal
        opened={opened}
        onClose={modal.close}
        title="Calendar feeds"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <NativeSelect
            label="Brand"
            value={String(brand.brand_id)}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            data={brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title }))}
          />
          <CalendarFeed key={brand.brand_id} brand={brand} />
        </Stack>
      </Modal>
    </>
  )
}

const feedQuery = (brandId: BrandId) => ({
  queryKey: ['brands', 'feed', brandId],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('getFeed', { params: { brandId }, signal }),
})

/** The address at which calendar apps read a brand's posts: made, shown once, replaced and ended. */
function CalendarFeed({ brand }: { brand: Brand }) {
  const params = { brandId: brand.brand_id }
  const zone = useOwnZone()
  const { data: settings } = useQuery(settingsQuery)
  const feed = useQuery(feedQuery(brand.brand_id))
  const [address, setAddress] = useState<string | null>(null)
  const refetch = () => queryClient.invalidateQueries(feedQuery(brand.brand_id))
  const create = useMutation({
    mutationFn: () => call('createFeed', { params }),
    onSuccess: async ({ url }) => {
      setAddress(url)
      await refetch()
    },
  })
  const end = useMutation({
    mutationFn: () => call('deleteFeed', { params }),
    onSuccess: async () => {
      setAddress(null)
      await refetch()
    },
  })
  if (feed.status === 'pending') return <RowsSkeleton height={56} />
  if (feed.status === 'error')
    return <QueryError query={feed}>{messageOf(feed.error, TEXTS.unknownError)}</QueryError>
  const since = feed.data.created_at
  const failed = create.error ?? end.error
  return (
    <Stack component="section" gap="sm" aria-label={`Calendar feed of ${brand.title}`}>
      <Text c="dimmed" size="xs">
        {since === null
          ? 'Show this brand’s posts in a calendar app. Anyone with the address can read them.'
          : `Calendar apps read this brand’s posts at an address created on ${dateOf(since, zone)}. Anyone with it can read them.`}
      </Text>
      {address !== null && (
        <Group align="end" gap="xs">
          <TextInput
            flex="1 1 18rem"
            label="Address of the feed"
            description="Copy it now: it is shown only once."
            readOnly
            value={address}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <CopyButton text={address} what="the address of the feed" />
        </Group>
      )}
      <Group align="stretch" gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={create.isPending}
          disabled={end.isPending}
          onClick={() => create.mutate()}
        >
          {since === null ? 'Create an address' : 'Replace the address'}
        </Button>
        {since !== null && (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending}
            disabled={create.isPending}
            onClick={() => end.mutate()}
          >
            Turn off the feed
          </Button>
        )}
      </Group>
      {since !== null && address === null && (
        <Text c="dimmed" size="xs">
          {settings?.account.sign_out_everywhere === true
            ? 'If you replace the address, turn off the feed, change your password or log out everywhere, calendars that use it stop updating.'
            : 'If you replace the address or turn off the feed, calendars that use it stop updating.'}
        </Text>
      )}
      {failed && <InlineAlert>{messageOf(failed, TEXTS.unknownError)}</InlineAlert>}
    </Stack>
  )
}

import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { dateOf } from '#web/lib/moments.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { useOwnZone } from '#web/ui/zone.tsx'
import { updateReport, type ReportKey } from './report-query.ts'

const DAYS = [7, 30, 90] as const
const USUAL_DAYS = 30

type Props = {
  reportKey: ReportKey
  /** null: there is no address. */
  expiresAt: string | null
  /** Readers do not see the last words yet. */
  isUnsaved: boolean
  opened: boolean
  onClose: () => void
}

/** The address at which a client reads the report: made, shown once, replaced and ended. */
export function ShareDialog({ reportKey, expiresAt, isUnsaved, opened, onClose }: Props) {
  const zone = useOwnZone()
  const [days, setDays] = useState<number>(USUAL_DAYS)
  const [address, setAddress] = useState<string | null>(null)
  const create = useMutation({
    mutationFn: () => call('createReportLink', { params: reportKey, body: { days } }),
    onSuccess: ({ url, expires_at }) => {
      setAddress(url)
      end.reset()
      updateReport(reportKey, { link_expires_at: expires_at })
    },
  })
  const end = useMutation({
    mutationFn: () => call('deleteReportLink', { params: reportKey }),
    onSuccess: () => {
      setAddress(null)
      create.reset()
      updateReport(reportKey, { link_expires_at: null })
    },
  })
  const failed = create.error ?? end.error
  return (
    <Modal opened={opened} onClose={onClose} title="Share link" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="sm">
        <Text c="dimmed" size="xs">
          {expiresAt === null
            ? 'Your client can read this report at an address, without an account. Anyone with the address can read it.'
            : `Anyone with the address can read this report until ${dateOf(expiresAt, zone)}.`}
        </Text>
        {isUnsaved && (
          <InlineAlert tone="attention" live={false}>
            Your last words are not saved yet. Readers don’t see them until you save.
          </InlineAlert>
        )}
        {address !== null && (
          <Group align="end" gap="xs">
            <TextInput
              flex="1 1 16rem"
              label="Address of the report"
              description="Copy it now: it is shown only once."
              readOnly
              value={address}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
            <CopyButton text={address} what="the address of the report" />
          </Group>
        )}
        <Group align="end" gap="xs">
          <NativeSelect
            label="Ends after"
            value={String(days)}
            onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
            data={DAYS.map((one) => ({ value: String(one), label: `${one} days` }))}
          />
          <Button
            variant={expiresAt === null ? 'filled' : 'default'}
            loading={create.isPending}
            disabled={end.isPending}
            onClick={() => create.mutate()}
          >
            {expiresAt === null ? 'Create link' : 'Replace link'}
          </Button>
          {expiresAt !== null && (
            <Button
              variant="default"
              loading={end.isPending}
              disabled={create.isPending}
              onClick={() => end.mutate()}
            >
              End link
            </Button>
          )}
        </Group>
        {expiresAt !== null && (
          <Text c="dimmed" size="xs">
            If you replace or end the link, the address you sent stops working.
          </Text>
        )}
        {failed && <InlineAlert>{messageOf(failed, TEXTS.unknownError)}</InlineAlert>}
      </Stack>
    </Modal>
  )
}
